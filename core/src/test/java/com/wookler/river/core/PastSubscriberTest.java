package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.testing.CapturedLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Subscribers that start in the backup and read on into the log. */
@Timeout(120)
class PastSubscriberTest {
  private static final Instant START = Instant.parse("2026-11-20T10:00:00Z");
  private static final int BLOCK = 10;
  private static final int ARCHIVED = 50;
  private static final String LOST = "sequences 10 to 19 are lost";

  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(START);
  private MessageQueue<String> queue;
  private Subscriber<String> first;

  /** Sequences 0 to 49 are in five backups, 50 to 79 in the log; a second lies between two. */
  @BeforeEach
  void open() {
    queue = builder().open();
    first = queue.subscriber("first");
    publish(80);
    for (int i = 0; i < 55; i++) {
      first.next();
    }
    await().until(() -> queue.stats().firstSequence() == ARCHIVED);
  }

  @AfterEach
  void close() {
    queue.close();
  }

  private MessageQueue.Builder<String> builder() {
    return MessageQueue.builder("orders", MessageConverter.utf8())
        .directory(directory.resolve("data"))
        .recycle(SizeBasedRecycle.ofMessages(BLOCK))
        .backup(directory.resolve("backup"), Duration.ofDays(3))
        .timeSource(time);
  }

  private void publish(int messages) {
    for (int i = 0; i < messages; i++) {
      long next = queue.stats().nextSequence();
      if (next % BLOCK == 3) {
        queue.publisher().putAll(List.of(message(next), message(next + 1)), Durability.MEMORY);
        i++;
      } else {
        queue.publisher().publish(message(next));
      }
      time.advance(Duration.ofSeconds(1));
    }
  }

  private static Message<String> message(long sequence) {
    return Message.of("m" + sequence).withKey("k" + sequence);
  }

  private static SubscriberConfig.Builder from(String name, Position position) {
    return SubscriberConfig.builder(name).start(position);
  }

  private static List<Long> rest(Subscriber<String> subscriber) {
    List<Long> sequences = new ArrayList<>();
    for (Delivery<String> next = subscriber.next(); next != null; next = subscriber.next()) {
      assertThat(next.data()).isEqualTo("m" + next.sequence());
      assertThat(next.key()).isEqualTo("k" + next.sequence());
      sequences.add(next.sequence());
      next.ack();
    }
    return sequences;
  }

  private static List<Long> sequences(long from, long end) {
    return LongStream.range(from, end).boxed().toList();
  }

  /** Also while some are deleted. */
  private List<Path> backups() {
    List<Path> found = new ArrayList<>();
    try {
      Files.walkFileTree(
          directory.resolve("backup"),
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
              if (file.toString().endsWith(".zst")) {
                found.add(file);
              }
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) {
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return found.stream().sorted().toList();
  }

  @Test
  void shouldStartAtASequenceInTheBackupAndReadOnIntoTheLog() {
    Subscriber<String> late = queue.subscriber(from("late", Position.sequence(14)).build());

    assertThat(late.stats().lag()).isEqualTo(66);
    assertThat(rest(late)).isEqualTo(sequences(14, 80));
    publish(20);
    assertThat(rest(late)).isEqualTo(sequences(80, 100));
  }

  @Test
  void shouldStartAtATimeInTheBackup() {
    Instant published = queue.read(27).orElseThrow().publishedAt();

    Subscriber<String> late = queue.subscriber(from("late", Position.time(published)).build());

    assertThat(rest(late)).isEqualTo(sequences(27, 80));
    late.seek(Position.time(START));
    assertThat(late.next().sequence()).isZero();
    late.seek(Position.time(queue.read(70).orElseThrow().publishedAt()));
    assertThat(rest(late)).isEqualTo(sequences(70, 80));
  }

  @Test
  void shouldSeekBackIntoTheBackupAndForth() {
    assertThat(rest(first)).isEqualTo(sequences(55, 80));
    for (long sequence : new long[] {0, 3, 4, 9, 10, 44, 49, 50, 51}) {
      first.seek(Position.sequence(sequence));
      assertThat(first.next().sequence()).isEqualTo(sequence);
    }
    first.seek(Position.earliest());
    assertThat(first.next().sequence()).as("the oldest in the log").isGreaterThanOrEqualTo(50);
    first.seek(Position.sequence(48));
    assertThat(rest(first)).isEqualTo(sequences(48, 80));
  }

  @Test
  void shouldTakeBatchesAcrossTheSeam() throws InterruptedException {
    first.seek(Position.sequence(45));

    List<Delivery<String>> batch = first.batch(10, Duration.ofSeconds(1));

    assertThat(batch).extracting(Delivery::sequence).isEqualTo(sequences(45, 55));
  }

  @Test
  void shouldDeliverAgainWhatWasNotAcknowledged() {
    Subscriber<String> late =
        queue.subscriber(
            from("late", Position.sequence(46))
                .ack(true)
                .ackTimeout(Duration.ofSeconds(30))
                .build());
    List<Delivery<String>> taken = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      taken.add(late.next()); // four in the backup, four in the log
    }
    taken.get(1).ack();
    taken.get(2).nack(Duration.ZERO);
    Delivery<String> again = late.next();
    assertThat(again.sequence()).isEqualTo(48);
    assertThat(again.attempt()).isEqualTo(2);
    assertThat(again.data()).isEqualTo("m48");
    again.ack();

    time.advance(Duration.ofSeconds(31));

    List<Long> due = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      Delivery<String> next = late.next();
      assertThat(next.attempt()).isEqualTo(2);
      due.add(next.sequence());
    }
    assertThat(due).containsExactlyInAnyOrder(46L, 49L, 50L, 51L, 52L, 53L);
    assertThat(late.stats().ackFloor()).isEqualTo(46);
  }

  @Test
  void shouldKeepADeadLetterOfTheBackup() {
    Subscriber<String> late =
        queue.subscriber(from("late", Position.sequence(46)).ack(true).build());

    late.next().reject("no use");

    await().until(() -> late.deadLetters().size() == 1);
    assertThat(late.deadLetters().peek(1).get(0).data()).isEqualTo("m46");
    assertThat(rest(late)).isEqualTo(sequences(47, 80));
  }

  @Test
  void shouldGoOnInTheBackupAfterARestart() {
    Subscriber<String> late =
        queue.subscriber(from("late", Position.sequence(22)).ack(true).build());
    late.next().ack();
    late.next();
    late.next().ack();
    queue.close();

    queue = builder().open();
    late = queue.subscriber("late");

    Delivery<String> again = late.next();
    assertThat(again.sequence()).isEqualTo(23);
    assertThat(again.attempt()).isEqualTo(2);
    assertThat(rest(late)).isEqualTo(sequences(25, 80));
  }

  @Test
  void shouldKeepTheBackupsThatASubscriberHasStillToRead() {
    Subscriber<String> late = queue.subscriber(from("late", Position.sequence(25)).build());
    assertThat(late.next().sequence()).isEqualTo(25);

    time.advance(Duration.ofDays(4)); // past the retention of all five

    await().until(() -> backups().size() == 3); // those of 0 to 19 go
    assertThat(late.next().sequence()).isEqualTo(26);
    late.close(); // not open, and not finished
    time.advance(Duration.ofDays(1));
    queue.subscriber("new").close();
    late = queue.subscriber("late");
    for (long sequence = 27; sequence < 35; sequence++) {
      assertThat(late.next().sequence()).isEqualTo(sequence);
    }
    time.advance(Duration.ofDays(1));
    await().until(() -> backups().size() == 2);
    assertThat(rest(late)).isEqualTo(sequences(35, 80));
    time.advance(Duration.ofDays(1));
    await()
        .until(() -> backups().stream().noneMatch(file -> file.toString().contains("b00000004")));
  }

  @Test
  void shouldKeepTheBackupOfAMessageThatIsOutThoughOthersReadOn() {
    Subscriber<String> late =
        queue.subscriber(from("late", Position.sequence(25)).ack(true).build());
    Delivery<String> out = late.next();
    assertThat(out.sequence()).isEqualTo(25);
    assertThat(rest(late)).isEqualTo(sequences(26, 80)); // its own reading is in the log now

    time.advance(Duration.ofDays(4)); // past the retention of all five

    await().until(() -> backups().size() == 3); // those of 0 to 19 go
    time.advance(Duration.ofDays(4));
    Delivery<String> again = late.next(); // its time was up
    assertThat(again.sequence()).isEqualTo(25);
    assertThat(again.data()).isEqualTo("m25");
    assertThat(backups()).hasSize(3);
    again.ack();
    time.advance(Duration.ofDays(1));
    await().until(() -> backups().stream().noneMatch(file -> file.toString().contains("b0000000")));
  }

  @Test
  void shouldPeekIntoTheBackupAndOnIntoTheLogAsItDelivers() {
    Subscriber<String> late =
        queue.subscriber(from("late", Position.sequence(46)).ack(true).build());
    assertThat(late.peek(6))
        .extracting(Delivery::sequence)
        .containsExactly(46L, 47L, 48L, 49L, 50L, 51L);
    late.next();
    Delivery<String> back = late.next();
    late.next().ack();
    back.release();

    List<Delivery<String>> seen = late.peek(100);

    List<Long> expected = new ArrayList<>(List.of(47L));
    expected.addAll(sequences(49, 80));
    assertThat(seen).extracting(Delivery::sequence).isEqualTo(expected);
    assertThat(seen).allSatisfy(each -> assertThat(each.data()).isEqualTo("m" + each.sequence()));
    assertThat(seen.get(0).attempt()).isZero();
    assertThat(late.stats().ackFloor()).isEqualTo(46);
    assertThat(rest(late)).isEqualTo(expected);
  }

  @Test
  void shouldPeekBehindWhatIsInNoBackupAnyMore() throws IOException {
    for (Path file : backups()) {
      if (file.toString().contains("b00000002")) {
        Files.delete(file);
      }
    }
    first.seek(Position.sequence(8));
    try (CapturedLog captured = new CapturedLog("com.wookler.river.core")) {
      assertThat(first.peek(4)).extracting(Delivery::sequence).containsExactly(8L, 9L, 20L, 21L);
      assertThat(captured.warnings())
          .as("a delivery reports what is lost")
          .noneMatch(line -> line.contains(LOST));
      assertThat(rest(first)).startsWith(8L, 9L, 20L, 21L);
      assertThat(captured.warnings()).filteredOn(line -> line.contains(LOST)).hasSize(1);
    }
  }

  @Test
  void shouldKeepTheLogTogetherWhileSomebodyReadsTheBackup() {
    Subscriber<String> late = queue.subscriber(from("late", Position.sequence(5)).build());
    rest(first); // would let blocks go
    publish(30);
    rest(first);
    time.advance(Duration.ofSeconds(5));

    assertThat(queue.stats().firstSequence()).isEqualTo(ARCHIVED);
    assertThat(rest(late)).isEqualTo(sequences(5, 110));
    await().until(() -> queue.stats().firstSequence() == 110);
  }

  @Test
  void shouldPassWhatIsInNoBackupAnyMore() throws IOException {
    for (Path file : backups()) {
      if (file.toString().contains("b00000002")) {
        Files.delete(file);
      }
    }

    first.seek(Position.sequence(8));

    List<Long> expected = new ArrayList<>(sequences(8, 10));
    expected.addAll(sequences(20, 80));
    assertThat(rest(first)).isEqualTo(expected);
  }

  @Test
  void shouldStartWithTheOldestBackupWhereTheSequenceIsGone() throws IOException {
    first.seek(Position.sequence(0));
    assertThat(first.next().sequence()).isZero();
    first.seek(Position.latest());
    queue.close();
    for (Path file : backups().subList(0, 2)) {
      Files.delete(file);
      Files.delete(Path.of(file.toString().replace(".cq4.zst", ".seal")));
    }
    queue = builder().open();

    Subscriber<String> late = queue.subscriber(from("late", Position.sequence(3)).build());

    assertThat(late.next().sequence()).isEqualTo(20);
  }
}
