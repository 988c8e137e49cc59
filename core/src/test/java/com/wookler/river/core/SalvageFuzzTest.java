package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.log.files.BlockFile;
import com.wookler.river.core.log.files.BlockWalk;
import com.wookler.river.core.log.files.Seal;
import com.wookler.river.core.message.DocumentFormat;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.testing.DirectoryCopy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Damages the log of a closed queue at random, opens it, and reads all of it: what was not touched
 * comes out, once and in order, and what does not come out is reported, to the message. Set {@code
 * river.fuzz.seeds} for more rounds.
 */
class SalvageFuzzTest {
  private static final int SEEDS = Integer.getInteger("river.fuzz.seeds", 5);
  private static final long FIRST_SEED = Long.getLong("river.fuzz.first", 1);
  private static final Duration LIMIT = Duration.ofSeconds(60); // on a machine that does much else
  private static final int MESSAGES = 300;
  private static final int ENTRY_PREFIX = 8;

  // Of a block's file. What stands between them says whose it is; a recovery needs it.
  private static final long INDEX_BEGIN = 1_024;
  private static final long INDEX_END = 65_700;
  private static final long MESSAGES_BEGIN = 65_972;

  @TempDir Path directory;

  private final Map<Long, Need> needs = new TreeMap<>();
  private Path original;
  private int sealed; // blocks

  /**
   * The parts of a block's file that a message needs: each from one offset to another.
   *
   * @param end of its document; what lies in or behind a document in a file that was cut may be
   *     lost with it
   */
  private record Need(int block, List<long[]> parts, long end) {
    boolean isTouched(Map<Integer, TreeSet<Long>> bytes, Set<Integer> cut) {
      TreeSet<Long> damaged = bytes.getOrDefault(block, new TreeSet<>());
      return parts.stream().anyMatch(part -> !damaged.subSet(part[0], part[1]).isEmpty())
          || !damaged.subSet(INDEX_END, MESSAGES_BEGIN).isEmpty()
          || (cut.contains(block) && damaged.first() < end);
    }
  }

  /** What was done to the blocks: which bytes are not what they were, and which files are cut. */
  private record Done(Map<Integer, TreeSet<Long>> bytes, Set<Integer> cut) {}

  private static MessageQueue<String> open(Path base) {
    return MessageQueue.builder("orders", MessageConverter.utf8())
        .directory(base)
        .recycle(SizeBasedRecycle.ofMessages(40))
        .timeSource(new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z")))
        .open();
  }

  private static String data(long sequence) {
    int length = sequence % 50 == 49 ? 9_000 : (int) (sequence * 37 % 300);
    return sequence + ":" + "x".repeat(length);
  }

  private static Message<String> message(long sequence) {
    return sequence % 7 == 0
        ? Message.of(data(sequence)).withKey("key" + sequence)
        : Message.of(data(sequence));
  }

  @BeforeEach
  void publish() throws IOException {
    original = directory.resolve("original");
    try (MessageQueue<String> queue = open(original)) {
      queue.subscriber("plain");
      queue.subscriber(SubscriberConfig.builder("audit").ack(true).build());
      Random random = new Random(1);
      for (long next = 0; next < MESSAGES; ) {
        int count = random.nextInt(5) > 0 ? 1 : 2 + random.nextInt(8);
        List<Message<String>> batch = new ArrayList<>();
        for (int i = 0; i < count; i++) {
          batch.add(message(next++));
        }
        queue.publisher().putAll(batch, Durability.MEMORY);
      }
      queue.force();
    }
    for (int block = 1; Files.exists(file(original, block, "seal")); block++) {
      sealed = block;
      trim(block);
      BlockFile.End end =
          new BlockFile(block, file(original, block, "cq4")).walkClosed(this.needsOf(block));
      assertThat(end.offset()).isGreaterThan(MESSAGES_BEGIN);
    }
    assertThat(sealed).isGreaterThan(4);
  }

  /** The mapping is larger than what is in use of it. */
  private void trim(int block) throws IOException {
    Seal seal = BlockFile.seal(file(original, block, "seal"), block);
    try (FileChannel file =
        FileChannel.open(file(original, block, "cq4"), StandardOpenOption.WRITE)) {
      file.truncate(seal.bytes() + 4);
    }
  }

  private BlockWalk.Visitor needsOf(int block) {
    return (offset, document, length) -> {
      ByteBuffer bytes = ByteBuffer.wrap(document, 0, length).order(ByteOrder.LITTLE_ENDIAN);
      long first = bytes.getLong(8);
      long start = offset + 4;
      List<long[]> path = new ArrayList<>();
      path.add(new long[] {start, start + DocumentFormat.HEADER_BYTES});
      int at = DocumentFormat.HEADER_BYTES;
      for (int i = 0; i < bytes.getInt(24); i++) {
        int size = ENTRY_PREFIX + bytes.getInt(at + 4);
        List<long[]> parts = new ArrayList<>(path);
        parts.add(new long[] {start + at, start + at + size});
        needs.put(first + i, new Need(block, parts, start + length));
        path.add(new long[] {start + at + 4, start + at + ENTRY_PREFIX}); // leads to the next
        at += size;
      }
    };
  }

  private static Path file(Path base, int block, String type) {
    return base.resolve(String.format("orders/log/b%08d.%s", block, type));
  }

  @Test
  void shouldLoseOnlyWhatIsDamagedAndReportAllOfIt() throws IOException {
    for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
      shouldHold(seed);
    }
  }

  @Test
  void shouldNotLetChronicleEndADamagedBlockWhereAMessageIs() throws IOException {
    shouldHold(603_288); // it takes four bytes of sequence 165 for a header that is not complete
  }

  private void shouldHold(long seed) throws IOException {
    Path copy = directory.resolve("copy");
    copy(original, copy);
    Done damaged = damage(copy, new Random(seed));
    String what =
        "seed " + seed + ", blocks " + damaged.bytes().keySet() + ", cut " + damaged.cut();
    assertTimeout(LIMIT, () -> shouldHold(copy, damaged, what), what);
    DirectoryCopy.delete(copy);
  }

  private void shouldHold(Path base, Done damaged, String what) throws IOException {
    try (MessageQueue<String> queue = open(base)) {
      long end = queue.stats().nextSequence();
      assertThat(end).as(what).isBetween((long) MESSAGES, MESSAGES + 10L);
      queue.publisher().publish(data(end));
      Set<Long> lost = null;
      for (Subscriber<String> each : readers(queue)) {
        Set<Long> missing = missing(each, end, what);
        assertThat(missing).as(what).isEqualTo(lost == null ? missing : lost);
        lost = missing;
      }
      assertThat(lost).isNotNull();
      assertThat(queue.stats().lost()).as(what).isEqualTo(lost.size());
      for (long sequence : lost) {
        Need need = needs.get(sequence);
        assertThat(need != null && need.isTouched(damaged.bytes(), damaged.cut()))
            .as("%s: sequence %s was not touched", what, sequence)
            .isTrue();
      }
    }
  }

  /** Without sound marks nobody knows of what was before the log's beginning. */
  private static void shouldReport(MessageQueue<String> queue, Set<Long> missing, String what) {
    long lost = queue.stats().lost();
    assertThat((long) missing.size()).as(what).isIn(lost, lost + queue.stats().firstSequence());
  }

  /** One more keeps the blocks in the log. */
  private static List<Subscriber<String>> readers(MessageQueue<String> queue) {
    queue.subscriber("keeper");
    return List.of(queue.subscriber("plain"), queue.subscriber("audit"));
  }

  private static Set<Long> missing(Subscriber<String> from, long end, String what) {
    Set<Long> missing = new HashSet<>();
    long next = 0;
    for (Delivery<String> got = from.next(); got != null; got = from.next()) {
      assertThat(got.sequence()).as(what).isGreaterThanOrEqualTo(next);
      assertThat(got.data()).as(what).isEqualTo(data(got.sequence()));
      assertThat(got.attempt()).as(what).isEqualTo(1);
      got.ack();
      for (; next < got.sequence(); next++) {
        missing.add(next);
      }
      next = got.sequence() + 1;
    }
    assertThat(next).as(what).isEqualTo(end + 1);
    return missing;
  }

  private Done damage(Path base, Random random) throws IOException {
    Done done = new Done(new TreeMap<>(), new HashSet<>());
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      int block = 1 + random.nextInt(sealed);
      Path file = file(base, block, "cq4");
      byte[] before = Files.readAllBytes(file);
      byte[] after = damaged(before, random);
      Files.write(file, after);
      TreeSet<Long> bytes = done.bytes().computeIfAbsent(block, number -> new TreeSet<>());
      for (int at = 0; at < before.length; at++) {
        if (at >= after.length || before[at] != after[at]) {
          bytes.add((long) at);
        }
      }
      if (after.length < before.length) {
        done.cut().add(block);
      }
    }
    return done;
  }

  /** All but what a block begins with: without that, all of it is lost. */
  private static byte[] damaged(byte[] before, Random random) {
    int from = (int) (random.nextInt(8) == 0 ? INDEX_BEGIN : MESSAGES_BEGIN);
    byte[] after = before.clone();
    if (before.length <= from) {
      return after; // was cut there before
    }
    int at = from + random.nextInt(before.length - from);
    switch (random.nextInt(4)) {
      case 0 -> {
        for (int i = 1 + random.nextInt(20); i > 0; i--) {
          after[from + random.nextInt(before.length - from)] ^= (byte) (1 << random.nextInt(8));
        }
      }
      case 1 -> {
        int page = Math.max(1, at / 4096) * 4096;
        Arrays.fill(after, page, Math.min(after.length, page + 4096), (byte) 0);
      }
      case 2 -> {
        byte[] noise = new byte[1 + random.nextInt(600)];
        random.nextBytes(noise);
        System.arraycopy(noise, 0, after, at, Math.min(noise.length, after.length - at));
      }
      default -> after = Arrays.copyOf(before, at);
    }
    return after;
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file)));
      }
    }
  }

  @Test
  void shouldSurviveAnyDamageToAnyFileOfTheLog() throws IOException {
    for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
      Path copy = directory.resolve("copy");
      copy(original, copy);
      Random random = new Random(seed);
      String what = "seed " + seed + ": " + damageAny(copy, random);
      assertTimeout(LIMIT, () -> shouldTellWhatIsMissing(copy, what), what);
      DirectoryCopy.delete(copy);
    }
  }

  private static String damageAny(Path base, Random random) throws IOException {
    StringBuilder what = new StringBuilder();
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      List<Path> files;
      try (Stream<Path> all = Files.list(base.resolve("orders/log"))) {
        files = all.filter(Files::isRegularFile).sorted().toList();
      }
      Path file = files.get(random.nextInt(files.size()));
      Path other = files.get(random.nextInt(files.size()));
      what.append(file.getFileName());
      switch (random.nextInt(4)) {
        case 0 -> {
          what.append(" cut ");
          byte[] bytes = Files.readAllBytes(file);
          Files.write(file, Arrays.copyOf(bytes, random.nextInt(bytes.length + 1)));
        }
        case 1 -> {
          what.append(" with bits flipped ");
          byte[] bytes = Files.readAllBytes(file);
          for (int flips = 1 + random.nextInt(50); flips > 0 && bytes.length > 0; flips--) {
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
          }
          Files.write(file, bytes);
        }
        case 2 -> {
          what.append(" swapped with ").append(other.getFileName()).append(' ');
          byte[] bytes = Files.readAllBytes(file);
          Files.write(file, Files.readAllBytes(other));
          Files.write(other, bytes);
        }
        default -> {
          what.append(" removed ");
          Files.delete(file);
        }
      }
    }
    return what.toString();
  }

  /** Whatever a recovery can make of it: nothing wrong, nothing twice, and the sums are right. */
  private static void shouldTellWhatIsMissing(Path base, String what) {
    try (MessageQueue<String> queue = open(base)) {
      long end = queue.stats().nextSequence();
      queue.publisher().publish(data(end));
      for (Subscriber<String> each : readers(queue)) {
        Set<Long> missing = missing(each, end, what);
        shouldReport(queue, missing, what);
      }
    }
  }
}
