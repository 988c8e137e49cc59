package com.wookler.river.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.SizeBasedRecycle;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.testing.DirectoryCopy;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/**
 * Writes and unpacks the files of a queue as one version of River leaves them: {@code closed} after
 * a close, {@code killed} as a kill before it would have left them.
 *
 * <p>Every kind of file is there: blocks with and without seal, marks, a backup, settings, an index
 * of keys, how far was forwarded and taken from another queue, and the positions and
 * acknowledgements of four subscribers, one of them in the order of keys. Two messages wait for a
 * further delivery, one by the log of acknowledgements alone and one by a snapshot, too.
 */
final class FormatFixture {
  static final int MESSAGES = 100;
  static final Duration DELAY = Duration.ofDays(365);
  static final Duration WAIT = Duration.ofHours(2);
  static final Instant BEGIN = Instant.parse("2026-11-20T10:00:00Z");

  /** After so many that cannot be continued, an opening writes a snapshot. */
  private static final int TORN_LOGS = 5;

  private FormatFixture() {}

  static MessageQueue.Builder<String> queue(Path base) {
    return MessageQueue.builder("orders", MessageConverter.utf8())
        .directory(base.resolve("queues"))
        .maxMessageBytes(64 << 10)
        .blockBytes(256 << 10)
        .recycle(SizeBasedRecycle.ofMessages(30))
        .keyIndex(true)
        .forwardTo("copies")
        .backup(base.resolve("backup"), Duration.ZERO);
  }

  /** To which that one forwards. */
  static MessageQueue.Builder<String> copies(Path base) {
    return MessageQueue.builder("copies", MessageConverter.utf8())
        .directory(base.resolve("queues"))
        .maxMessageBytes(64 << 10)
        .blockBytes(256 << 10);
  }

  static SubscriberConfig billing() {
    return SubscriberConfig.builder("billing").ack(true).window(1000).build();
  }

  static SubscriberConfig byKey() {
    return SubscriberConfig.builder("keyed")
        .ack(true)
        .order(Order.KEY)
        .window(1000)
        .start(Position.sequence(60))
        .build();
  }

  /** The message of a sequence: single ones with keys and headers, then two batches. */
  static Message<String> message(int sequence) {
    Message<String> plain = Message.of("m" + sequence);
    return sequence % 3 == 0
        ? plain
        : plain
            .withKey("key-" + sequence % 7)
            .withHeader("header", ("value " + sequence).getBytes(StandardCharsets.UTF_8));
  }

  /** The last one, which nobody was given yet. */
  static Message<String> delayed() {
    return Message.of("delayed").withKey("key").deliverAfter(DELAY);
  }

  /** Lives through all that the fixture holds, under {@code work}, and packs it. */
  static void write(Path work, Path zip) throws Exception {
    ManualTimeSource time = new ManualTimeSource(BEGIN);
    Path live = work.resolve("live");
    Path killed = work.resolve("killed");
    try (MessageQueue<String> copies = copies(live).timeSource(time).open();
        MessageQueue<String> queue = queue(live).timeSource(time).open()) {
      Subscriber<String> billing = queue.subscriber(billing());
      Subscriber<String> audit = queue.subscriber("audit");
      publish(queue, time);
      queue.publisher().publish(delayed());
      await().until(() -> queue.stats().delayed() == 1);
      queue.subscriber(
          SubscriberConfig.builder("late").ack(true).start(Position.sequence(70)).build());
      audit.batch(50, Duration.ZERO);
      finishSome(billing);
      for (int log = 1; log <= TORN_LOGS; log++) {
        billing.close();
        tear(own(live, "billing").resolve("ack-" + log + ".log"));
        billing = queue.subscriber(billing());
      }
      assertThat(own(live, "billing").resolve("ack-" + (TORN_LOGS + 1) + ".snap")).exists();
      finishSomeByKey(queue.subscriber(byKey()));
      await()
          .until(
              () -> {
                time.advance(Duration.ofMillis(200));
                return queue.stats().backups() == 1 && blockIsGone(live);
              });
      await()
          .until(
              () -> {
                time.advance(Duration.ofMillis(200));
                return Forwards.of(queue).stats().get(0).safe() == MESSAGES + 1;
              });
      copies.force();
      queue.force();
      DirectoryCopy.of(live, killed);
    }
    DirectoryCopy.of(live, work.resolve("closed"));
    pack(work, List.of("killed", "closed"), zip);
  }

  /** The files go after the block is counted as archived, and must not go while they are copied. */
  private static boolean blockIsGone(Path live) {
    Path log = live.resolve("queues/orders/log");
    return Files.notExists(log.resolve("b00000001.cq4"))
        && Files.notExists(log.resolve("b00000001.seal"));
  }

  private static void publish(MessageQueue<String> queue, ManualTimeSource time) {
    for (int i = 0; i < MESSAGES; i++) {
      time.advance(Duration.ofMillis(1));
      if (i == 60 || i == 70) {
        List<Message<String>> batch = new ArrayList<>();
        for (int j = 0; j < 10; j++) {
          batch.add(message(i + j));
        }
        queue.publisher().putAll(batch, Durability.MEMORY);
        i += 9;
      } else {
        queue.publisher().publish(message(i));
      }
    }
  }

  private static Path own(Path base, String subscriber) {
    return base.resolve("queues/orders/subscribers").resolve(subscriber);
  }

  /** As a power loss does behind the last record: the next opening uses another log. */
  private static void tear(Path log) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "rw")) {
      file.seek(file.length() - 1);
      file.write(1);
    }
  }

  /** Finishes 0 to 49 but for 33, which waits, and 45, which is tried twice; 50 to 59 are out. */
  private static void finishSome(Subscriber<String> billing) throws InterruptedException {
    for (Delivery<String> delivery : billing.batch(60, Duration.ZERO)) {
      long sequence = delivery.sequence();
      if (sequence == 45) {
        delivery.nack(Duration.ZERO);
      } else if (sequence == 33) {
        delivery.nack(WAIT);
      } else if (sequence < 50) {
        delivery.ack();
      }
    }
    billing.next();
  }

  /** Of 60 to 63, of which each is the first of its key or has none, 61 is out, and 63 waits. */
  private static void finishSomeByKey(Subscriber<String> keyed) throws InterruptedException {
    for (Delivery<String> delivery : keyed.batch(4, Duration.ZERO)) {
      if (delivery.sequence() == 63) {
        delivery.nack(WAIT);
      } else if (delivery.sequence() != 61) {
        delivery.ack();
      }
    }
  }

  private static void pack(Path work, List<String> parts, Path zip) throws IOException {
    try (ZipOutputStream out =
        new ZipOutputStream(new GZIPOutputStream(Files.newOutputStream(zip)))) {
      out.setLevel(9);
      for (String part : parts) {
        try (Stream<Path> all = Files.walk(work.resolve(part))) {
          for (Path file : all.filter(Files::isRegularFile).sorted().toList()) {
            ZipEntry entry = new ZipEntry(work.relativize(file).toString().replace('\\', '/'));
            entry.setTime(BEGIN.toEpochMilli());
            out.putNextEntry(entry);
            Files.copy(file, out);
          }
        }
      }
    }
  }

  /** Unpacks one state. Blocks are nearly all zero, and stay holes. */
  static void unpack(InputStream packed, String state, Path target) throws IOException {
    try (ZipInputStream in = new ZipInputStream(new GZIPInputStream(packed))) {
      for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
        if (entry.getName().startsWith(state + "/")) {
          Path file = target.resolve(entry.getName().substring(state.length() + 1));
          Files.createDirectories(file.getParent());
          unpack(in, file);
        }
      }
    }
  }

  private static void unpack(InputStream in, Path file) throws IOException {
    try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
      byte[] page = new byte[4096];
      byte[] hole = new byte[4096];
      for (int read = in.readNBytes(page, 0, 4096); read > 0; read = in.readNBytes(page, 0, 4096)) {
        if (Arrays.equals(page, 0, read, hole, 0, read)) {
          out.setLength(out.getFilePointer() + read);
          out.seek(out.length());
        } else {
          out.write(page, 0, read);
        }
      }
    }
  }

  /** What the files are called, but for the numbers in the names. */
  static Set<String> kinds(InputStream packed) throws IOException {
    Set<String> kinds = new TreeSet<>();
    try (ZipInputStream in = new ZipInputStream(new GZIPInputStream(packed))) {
      for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
        kinds.add(entry.getName().replaceAll("[0-9]+", "N"));
      }
    }
    return kinds;
  }
}
