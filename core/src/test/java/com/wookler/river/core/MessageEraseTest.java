package com.wookler.river.core;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.backup.BackupFiles;
import com.wookler.river.core.backup.StoredBlock;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.testing.DirectoryCopy;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Erases messages of a running queue, and searches its files for them. */
@Timeout(120)
class MessageEraseTest {
  private static final String SECRET = "SECRET";

  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));

  private MessageQueue.Builder<String> builder() {
    return MessageQueue.builder("orders", MessageConverter.utf8())
        .directory(directory.resolve("data"))
        .blockBytes(256 << 10)
        .maxMessageBytes(16 << 10)
        .recycle(SizeBasedRecycle.ofMessages(20))
        .keyIndex(true)
        .timeSource(time);
  }

  private MessageQueue<String> open(boolean backup) {
    return (backup ? builder().backup(directory.resolve("backup"), Duration.ZERO) : builder())
        .open();
  }

  private static Message<String> secret(long number) {
    return Message.of(SECRET + "-data-" + number)
        .withKey(SECRET + "-key")
        .withHeader(SECRET + "-name", (SECRET + "-value").getBytes(UTF_8));
  }

  private static final int SECRET_BYTES = 57; // at least

  private boolean advance() {
    time.advance(Duration.ofMillis(200));
    return true;
  }

  private static void drain(Subscriber<String> reader) {
    for (var next = reader.next(); next != null; next = reader.next()) {
      // all are completed
    }
  }

  /** Returns the files in which the secret is, in backups also where it is compressed. */
  private List<String> found() throws IOException {
    List<String> found = new ArrayList<>();
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        try {
          if (new String(Files.readAllBytes(file), ISO_8859_1).contains(SECRET)) {
            found.add(directory.relativize(file).toString());
          }
        } catch (NoSuchFileException e) {
          // a completed block has left the log meanwhile
        }
      }
    }
    Path backups = directory.resolve("backup/orders");
    for (StoredBlock stored :
        Files.exists(backups) ? BackupFiles.scan(backups).blocks() : List.<StoredBlock>of()) {
      assertThat(BackupFiles.verify(stored.file(), bytes -> {}).damages()).isEmpty();
      ByteArrayOutputStream block = new ByteArrayOutputStream();
      BackupFiles.unpack(stored, block);
      if (block.toString(ISO_8859_1).contains(SECRET)) {
        found.add(stored.file().getFileName().toString());
      }
    }
    return found;
  }

  /** Replays all, and compares what comes with what was published but for what was erased. */
  private static void assertHasAllBut(MessageQueue<String> queue, List<Long> erased, int end) {
    List<Long> left =
        LongStream.range(0, end).filter(each -> !erased.contains(each)).boxed().toList();
    Subscriber<String> all =
        queue.subscriber(SubscriberConfig.builder("all").start(Position.sequence(0)).build());
    List<Long> got = new ArrayList<>();
    for (var next = all.next(); next != null; next = all.next()) {
      got.add(next.sequence());
      assertThat(next.data()).endsWith("-" + next.sequence());
    }
    assertThat(got).isEqualTo(left);
    assertThat(all.stats().lag()).isZero();
    queue.removeSubscriber("all");
    assertThat(queue.read(0, Integer.MAX_VALUE)).hasSize(left.size());
    erased.forEach(each -> assertThat(queue.read(each)).isEmpty());
    assertThat(queue.stats().lostEver()).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldLeaveNoByteInLogAndBackups(boolean backup) throws IOException {
    List<Long> secrets = List.of(0L, 7L, 19L, 20L, 33L, 44L, 45L, 57L, 103L, 104L);
    try (MessageQueue<String> queue = open(backup)) {
      Subscriber<String> reader = queue.subscriber("reader");
      Random random = new Random(5);
      for (long i = 0; i < 105; ) {
        List<Message<String>> batch = new ArrayList<>();
        for (int left = random.nextInt(3); left >= 0 && i < 105; left--, i++) {
          batch.add(secrets.contains(i) ? secret(i) : Message.of("plain-" + i));
        }
        queue.publisher().putAll(batch, Durability.MEMORY);
      }
      if (backup) {
        drain(reader);
        await().until(() -> advance() && queue.stats().archived() == 5);
      }
      assertThat(found()).isNotEmpty();
      for (long secret : secrets) {
        assertThat(queue.erase(secret)).isGreaterThanOrEqualTo(SECRET_BYTES).isLessThan(100);
        assertThat(queue.erase(secret)).isZero();
      }
      assertThat(found()).isEmpty();
      assertThat(queue.latest(SECRET + "-key")).isEmpty();
      assertThat(queue.erase(105) + queue.erase(Long.MAX_VALUE)).isZero();
      assertHasAllBut(queue, secrets, 105);
      queue.publisher().publish("plain-105");
    }
    try (MessageQueue<String> queue = open(backup)) {
      assertHasAllBut(queue, secrets, 106);
      assertThat(queue.erase(secrets.get(3))).isZero();
      assertThat(queue.erase(5)).isPositive();
    }
    assertThat(found()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldEraseSeveralAtOnceAsOneByOne(boolean backup) throws IOException {
    List<Long> secrets = List.of(45L, 0L, 7L, 103L, 44L, 57L, 0L, 999L);
    try (MessageQueue<String> queue = open(backup)) {
      Subscriber<String> reader = queue.subscriber("reader");
      for (long i = 0; i < 105; i++) {
        queue.publisher().publish(secrets.contains(i) ? secret(i) : Message.of("plain-" + i));
      }
      if (backup) {
        drain(reader);
        await().until(() -> advance() && queue.stats().archived() == 5);
      }
      assertThat(queue.erase(List.of())).isZero();
      assertThat(found()).isNotEmpty();
      assertThat(queue.erase(secrets)).isBetween(6L * SECRET_BYTES, 6L * 100);
      assertThat(queue.erase(secrets)).isZero();
      assertThat(found()).isEmpty();
      assertHasAllBut(queue, List.of(0L, 7L, 44L, 45L, 57L, 103L), 105);
      EraseResult more = queue.tryErase(List.of(8L, 7L, 104L, 8L, 999L));
      assertThat(more.erased()).containsExactlyInAnyOrder(8L, 104L);
      assertThat(more.bytes()).isBetween(14L, 40L);
    }
  }

  /** Each rewriting of its own would take minutes. */
  @Test
  void shouldWriteABlockAnewOnceForAllOfItsMessages() {
    try (MessageQueue<String> queue =
        builder().recycle(SizeBasedRecycle.ofMessages(20_000)).blockBytes(8 << 20).open()) {
      List<Message<String>> batch = new ArrayList<>();
      for (int i = 0; i < 10_000; i++) {
        batch.add(Message.of("plain-" + i));
      }
      queue.publisher().putAll(batch, Durability.MEMORY);
      queue.publisher().putAll(batch, Durability.MEMORY); // fills the block
      List<Long> even = LongStream.range(0, 10_000).map(i -> 2 * i).boxed().toList();
      assertThat(queue.erase(even)).isGreaterThan(10_000 * 7L);
      assertThat(queue.read(0, Integer.MAX_VALUE)).hasSize(10_000);
      assertThat(queue.stats().blocks()).isEqualTo(2);
    }
  }

  @Test
  void shouldNotCallABlockDamagedThatAFullDiskCannotTake() throws Exception {
    SmallDisk disk = SmallDisk.mount(directory.resolve("disk"), 24);
    try (MessageQueue<String> queue = builder().directory(disk.path().resolve("data")).open()) {
      for (long i = 0; i < 105; i++) {
        queue.publisher().publish(Message.of("plain-" + i));
      }
      queue.force();
      int refused = 0;
      for (long i = 0; i < 50; i++) {
        disk.fillBut(i * 4_096);
        try {
          assertThat(queue.erase(i)).isPositive();
        } catch (RiverException e) {
          assertThat(e).isNotInstanceOf(DamagedMessageException.class);
          refused++;
          disk.free();
          assertThat(queue.erase(i)).isPositive();
        }
        disk.free();
      }
      assertThat(refused).isPositive();
      assertHasAllBut(queue, LongStream.range(0, 50).boxed().toList(), 105);
    } finally {
      disk.unmount();
    }
  }

  @Test
  void shouldFindTheLastOfAKeyThatIsLeft() {
    try (MessageQueue<String> queue = open(false)) {
      for (long i = 0; i < 4; i++) {
        queue.publisher().publish(Message.of("value-" + i).withKey("key"));
      }
      for (long i = 3; i > 0; i--) {
        assertThat(queue.erase(i)).isPositive();
        assertThat(queue.latest("key").orElseThrow().data()).isEqualTo("value-" + (i - 1));
      }
      assertThat(queue.erase(0)).isPositive();
      assertThat(queue.latest("key")).isEmpty();
      assertThat(queue.latest("key")).isEmpty();
    }
  }

  @Test
  void shouldTakeItFromSubscribers() throws InterruptedException {
    try (MessageQueue<String> queue = open(false)) {
      Subscriber<String> reader =
          queue.subscriber(
              SubscriberConfig.builder("reader")
                  .ack(true)
                  .ackTimeout(Duration.ofSeconds(5))
                  .build());
      for (long i = 0; i < 50; i++) {
        queue.publisher().publish(i % 10 == 3 ? secret(i) : Message.of("plain-" + i));
      }
      List<Delivery<String>> out = reader.batch(10, Duration.ZERO);
      assertThat(queue.erase(3)).isPositive(); // it is in flight
      assertThat(queue.erase(13)).isPositive(); // it waits
      assertThat(out.get(3).data()).startsWith(SECRET);
      out.get(2).nack();
      out.get(3).nack();
      time.advance(Duration.ofSeconds(6));
      List<Long> got = new ArrayList<>();
      for (var next = reader.next(); next != null; next = reader.next()) {
        got.add(next.sequence());
        next.ack();
      }
      assertThat(got)
          .containsExactlyInAnyOrderElementsOf(
              LongStream.range(0, 50).filter(each -> each != 3 && each != 13).boxed().toList());
      assertThat(reader.stats().lag()).isZero();
    }
  }

  @Test
  void shouldEraseADelayedMessageAtBothOfItsPlaces() throws IOException {
    try (MessageQueue<String> queue = open(false)) {
      long late = queue.publisher().publish(secret(0).deliverAfter(Duration.ofMinutes(1)));
      for (long i = 1; i < 30; i++) {
        queue.publisher().publish("plain-" + i);
      }
      queue.force();
      time.advance(Duration.ofMinutes(2));
      await().until(() -> advance() && queue.stats().delayed() == 0);
      assertThat(queue.read(0, 100)).filteredOn(each -> each.data().startsWith(SECRET)).hasSize(2);
      assertThat(queue.erase(late)).isGreaterThanOrEqualTo(2 * SECRET_BYTES);
      assertThat(queue.erase(late)).isZero();
      assertThat(found()).noneMatch(file -> file.contains("/log/"));
      assertThat(queue.read(0, 100)).hasSize(29);
    }
  }

  /** A message and its copy may both be asked for, and mean each other. */
  @Test
  void shouldReportAllThatWereAskedForOfDelayedMessages() throws IOException {
    try (MessageQueue<String> queue = open(false)) {
      for (long i = 0; i < 2; i++) {
        queue.publisher().publish(secret(i).deliverAfter(Duration.ofMinutes(i + 1)));
      }
      for (long i = 2; i < 30; i++) {
        queue.publisher().publish(i == 9 ? secret(i) : Message.of("plain-" + i));
      }
      queue.force();
      time.advance(Duration.ofMinutes(2));
      await().until(() -> advance() && queue.stats().delayed() == 0); // 30 and 31 are the copies
      queue.publisher().publish("plain-32");
      EraseResult done = queue.tryErase(List.of(0L, 30L, 31L, 9L, 77L));
      assertThat(done.erased()).containsExactlyInAnyOrder(0L, 30L, 31L, 9L);
      assertThat(done.bytes()).isGreaterThanOrEqualTo(5 * SECRET_BYTES);
      assertThat(found()).noneMatch(file -> file.contains("/log/"));
      assertThat(queue.read(0, 100)).hasSize(28);
      assertThat(queue.tryErase(List.of(0L, 30L, 31L, 9L)).erased()).isEmpty();
    }
  }

  @Test
  void shouldEraseTheCopyOfADelayedMessageThatHasLeftTheLog() throws IOException {
    try (MessageQueue<String> queue = open(false)) {
      Subscriber<String> reader = queue.subscriber("reader");
      long late = queue.publisher().publish(secret(0).deliverAfter(Duration.ofMinutes(1)));
      for (long i = 1; i < 30; i++) {
        queue.publisher().publish("plain-" + i);
      }
      drain(reader);
      queue.force();
      await().until(() -> advance() && queue.stats().firstSequence() == 20);
      time.advance(Duration.ofMinutes(2));
      await().until(() -> advance() && queue.stats().delayed() == 0);
      assertThat(queue.read(30).orElseThrow().data()).startsWith(SECRET);
      assertThat(queue.erase(late)).isGreaterThanOrEqualTo(SECRET_BYTES);
      assertThat(queue.erase(late)).isZero();
      assertThat(queue.read(30)).isEmpty();
      assertThat(reader.next()).isNull();
      assertThat(found()).noneMatch(file -> file.contains("/log/"));
    }
  }

  @Test
  void shouldDropADelayedMessageThatWaits() throws IOException {
    try (MessageQueue<String> queue = open(false)) {
      Subscriber<String> reader = queue.subscriber("reader");
      long late = queue.publisher().publish(secret(0).deliverAfter(Duration.ofMinutes(1)));
      queue.force();
      assertThat(queue.erase(late)).isPositive();
      assertThat(found()).noneMatch(file -> file.contains("/log/"));
      time.advance(Duration.ofMinutes(2));
      await().until(() -> advance() && queue.stats().delayed() == 0);
      assertThat(reader.next()).isNull();
      assertThat(queue.stats().lostEver()).isZero();
    }
  }

  /** A crash may leave the old backup beside the new one, or a removal without an erasure. */
  @Test
  void shouldEraseWhatACrashHasLeft() throws IOException {
    Path backups = directory.resolve("backup");
    Path old = directory.resolveSibling(directory.getFileName() + "-old");
    try (MessageQueue<String> queue = open(true)) {
      Subscriber<String> reader = queue.subscriber("reader");
      for (long i = 0; i < 50; i++) {
        queue.publisher().publish(i == 7 ? secret(i) : Message.of("plain-" + i));
      }
      drain(reader);
      await().until(() -> advance() && queue.stats().archived() == 2);
      DirectoryCopy.of(backups, old);
      assertThat(queue.erase(7)).isPositive();
    }
    try (Stream<Path> all = Files.walk(old)) {
      for (Path file : all.filter(each -> each.toString().contains("b00000001")).toList()) {
        Files.copy(file, backups.resolve(old.relativize(file)));
      }
    }
    DirectoryCopy.delete(old);
    assertThat(found()).isNotEmpty();
    try (MessageQueue<String> queue = open(true)) {
      assertHasAllBut(queue, List.of(7L), 50);
      assertThat(queue.erase(7)).isPositive();
      assertThat(queue.erase(7)).isZero();
      assertHasAllBut(queue, List.of(7L), 50);
    }
    assertThat(found()).isEmpty();
  }

  @Test
  void shouldOnlyDeleteWhatIsInADamagedBlock() throws IOException {
    try (MessageQueue<String> queue = open(false)) {
      for (long i = 0; i < 30; i++) {
        queue.publisher().publish(i == 7 ? secret(i) : Message.of("plain-" + i));
      }
      queue.force();
      Path block = directory.resolve("data/orders/log/b00000001.cq4");
      String text = new String(Files.readAllBytes(block), ISO_8859_1);
      try (FileChannel file = FileChannel.open(block, StandardOpenOption.WRITE)) {
        file.write(UTF_8.encode("X"), text.indexOf("plain-9"));
      }
      assertThatThrownBy(() -> queue.erase(7))
          .isInstanceOf(DamagedMessageException.class)
          .hasMessageContaining("sequence 9");
      assertThat(queue.read(7)).isEmpty();
      assertThat(queue.read(8)).isPresent();
    }
  }

  /** Blocks and backups are replaced under those who read them. */
  @Test
  void shouldServeReadersMeanwhile() throws Exception {
    AtomicBoolean done = new AtomicBoolean();
    List<Long> erased = new ArrayList<>();
    try (MessageQueue<String> queue = open(true)) {
      Subscriber<String> first = queue.subscriber("first");
      for (long i = 0; i < 300; i++) {
        queue.publisher().publish(i % 9 == 0 ? secret(i) : Message.of("plain-" + i));
        if (i < 100) {
          first.next();
        }
      }
      List<CompletableFuture<Long>> readers = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        String name = "reader-" + i;
        readers.add(CompletableFuture.supplyAsync(() -> replay(queue, name, done)));
      }
      for (long i = 0; i < 300; i += 9) {
        assertThat(queue.erase(i)).isPositive();
        erased.add(i);
        time.advance(Duration.ofMillis(200));
      }
      done.set(true);
      for (CompletableFuture<Long> reader : readers) {
        assertThat(reader.join()).isPositive();
      }
      assertHasAllBut(queue, erased, 300);
    }
    assertThat(found()).isEmpty();
    assertThat(directory.resolve("data/orders/damage.log")).doesNotExist();
  }

  private static long replay(MessageQueue<String> queue, String name, AtomicBoolean done) {
    long rounds = 0;
    Subscriber<String> reader =
        queue.subscriber(SubscriberConfig.builder(name).ack(true).window(400).build());
    while (!done.get() || rounds == 0) {
      reader.seek(Position.sequence(0));
      List<Long> plain = new ArrayList<>();
      for (var next = reader.next(); next != null; next = reader.next()) {
        assertThat(next.data()).endsWith("-" + next.sequence());
        if (next.sequence() % 9 != 0) {
          plain.add(next.sequence());
        }
        next.ack();
      }
      assertThat(plain).hasSize(300 - 34).isSorted();
      for (StoredMessage each : queue.read(SECRET + "-key", 0, 5)) {
        assertThat(each.sequence() % 9).isZero();
      }
      rounds++;
    }
    return rounds;
  }
}
