package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.testing.CapturedLog;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code MessageQueue.snapshot}; under load and verified in {@code tools}. */
@Timeout(120)
class QueueSnapshotTest {
  private static final Duration SOON = Duration.ofSeconds(30);

  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));
  private MessageQueue<String> queue;
  private MessageQueue<String> copy;

  @AfterEach
  void close() {
    if (copy != null) {
      copy.close();
    }
    if (queue != null) {
      queue.close();
    }
  }

  private MessageQueue.Builder<String> builder(Path base) {
    return MessageQueue.builder("orders", MessageConverter.utf8())
        .directory(base)
        .recycle(SizeBasedRecycle.ofMessages(10))
        .keyIndex(true)
        .deduplicate(Duration.ofHours(1))
        .timeSource(time);
  }

  private static SubscriberConfig acking(String name) {
    return SubscriberConfig.builder(name).ack(true).maxDeliveries(1).build();
  }

  private Path target() {
    return directory.resolve("copies");
  }

  private static List<String> all(MessageQueue<String> of) {
    return of.read(of.stats().firstSequence(), 1_000).stream().map(Delivery::data).toList();
  }

  private void publish(int from, int to) {
    for (int i = from; i < to; i++) {
      queue.publisher().publish(Message.of("m" + i).withId("id" + i).withKey("k" + i % 3));
    }
  }

  @Test
  void shouldOpenAsTheQueueThatItWas() throws Exception {
    queue = builder(directory.resolve("data")).open();
    publish(0, 25);
    Subscriber<String> billing = queue.subscriber(acking("billing"));
    for (int i = 0; i < 5; i++) {
      billing.next().ack();
    }
    billing.next().reject("no"); // a letter
    Subscriber<String> closed = queue.subscriber(acking("closed"));
    closed.next().ack();
    closed.close();
    queue.publisher().publish(Message.of("late").deliverAfter(Duration.ofMinutes(1)));
    queue.putFrom(Origin.of("rows"), 7, Message.of("row"), Durability.MEMORY);
    await().until(() -> billing.deadLetters().size() == 1);

    QueueSnapshot made = queue.snapshot(target());
    publish(25, 30);
    billing.next().ack();

    assertThat(made.directory()).isEqualTo(target().resolve("orders"));
    assertThat(made.firstSequence()).isZero();
    assertThat(made.nextSequence()).isEqualTo(27);
    assertThat(made.copiedBytes()).isPositive();
    copy = builder(target()).open();
    assertThat(copy.identity()).isEqualTo(queue.identity());
    assertThat(copy.stats().nextSequence()).isEqualTo(27);
    await().until(() -> copy.stats().delayed() == 1); // it reads its files in the background
    assertThat(all(copy)).hasSize(27).startsWith("m0").endsWith("m24", "late", "row");
    assertThat(copy.subscriberNames()).containsExactly("billing", "closed");
    assertThat(copy.latest("k0").orElseThrow().data()).isEqualTo("m24");
    assertThat(copy.lastFrom(Origin.of("rows"))).hasValue(7);
    assertThat(copy.publisher().put(Message.of("x").withId("id3"), Durability.MEMORY))
        .isEqualTo(PublishResult.duplicateOf(3, Durability.MEMORY));
    assertThat(copy.subscriber("closed").next().data()).isEqualTo("m1");
    Subscriber<String> copied = copy.subscriber("billing");
    assertThat(copied.next().data()).isEqualTo("m6");
    assertThat(copied.deadLetters().peek(9))
        .singleElement()
        .extracting(Delivery::data)
        .isEqualTo("m5");
    assertThat(copied.deadLetters().redrive(1)).isOne();
    assertThat(billing.deadLetters().size()).isOne(); // of the queue itself
    time.advance(Duration.ofMinutes(1));
    await().until(() -> copy.stats().delayed() == 0);
    assertThat(copied.batch(100, SOON)).extracting(Delivery::data).contains("m24", "row", "late");
  }

  @Test
  void shouldLinkWhatNeverChangesOnly() throws Exception {
    queue = builder(directory.resolve("data")).open();
    publish(0, 25);
    queue.snapshot(target());
    Path own = directory.resolve("data/orders/log");
    Path log = target().resolve("orders/log");
    for (String file : List.of("b00000001.cq4", "b00000001.seal", "b00000002.cq4")) {
      assertThat(Files.getAttribute(log.resolve(file), "unix:ino"))
          .isEqualTo(Files.getAttribute(own.resolve(file), "unix:ino"));
    }
    assertThat(Files.getAttribute(log.resolve("b00000003.cq4"), "unix:nlink")).isEqualTo(1);
    copy = builder(target()).open();
    copy.publisher().publish("only here");
    queue.delete();
    assertThat(all(copy)).hasSize(26).endsWith("m24", "only here");
  }

  @Test
  void shouldCopyWhatAnIdleOrEmptyQueueHas() {
    queue = builder(directory.resolve("data")).open();
    assertThat(queue.snapshot(target().resolve("orders")).nextSequence()).isZero();
    copy = builder(target()).open();
    assertThat(copy.publisher().publish("first")).isZero();
    copy.snapshot(directory.resolve("second"));
    copy.close();
    copy = builder(directory.resolve("second")).open();
    assertThat(all(copy)).containsExactly("first");
  }

  @Test
  void shouldContinueBehindWhatHasLeftTheLog() throws Exception {
    queue = builder(directory.resolve("data")).open();
    Subscriber<String> reader = queue.subscriber("reader");
    publish(0, 30);
    reader.batch(100, SOON);
    await().until(() -> queue.stats().firstSequence() == 30);
    QueueSnapshot made = queue.snapshot(target());
    assertThat(made.firstSequence()).isEqualTo(30);
    copy = builder(target()).open();
    assertThat(copy.stats().lostEver()).isZero();
    assertThat(copy.publisher().publish("next")).isEqualTo(30);
    assertThat(copy.subscriber("reader").next().data()).isEqualTo("next");
  }

  /** Backups are not in it, and a copy may be opened with them or without. */
  @Test
  void shouldContinueInBackupsOnlyWhereItIsOpenedWithThem() throws Exception {
    Path backups = directory.resolve("backups");
    queue = builder(directory.resolve("data")).backup(backups, Duration.ZERO).open();
    Subscriber<String> reader = queue.subscriber("reader");
    publish(0, 45);
    reader.batch(30, SOON);
    await().until(() -> queue.stats().firstSequence() == 30);
    Subscriber<String> past = queue.subscriber(SubscriberConfig.builder("past").ack(true).build());
    past.seek(Position.sequence(5));
    List<Delivery<String>> taken = past.batch(3, SOON);
    taken.get(1).ack(); // 5 and 7 are in flight
    Subscriber<String> fetched =
        queue.subscriber(SubscriberConfig.builder("fetched").ack(true).build());
    fetched.seek(Position.sequence(28));
    assertThat(fetched.batch(4, SOON)).hasSize(4); // in flight there, and in the log
    Subscriber<String> closed = queue.subscriber("closed");
    closed.seek(Position.sequence(12));
    closed.close();
    queue.snapshot(target());
    queue.snapshot(directory.resolve("second"));
    queue.close();

    try (CapturedLog captured = new CapturedLog("com.wookler.river.core")) {
      copy = builder(target()).open();
      assertThat(copy.subscriber("past").next().sequence()).isEqualTo(30);
      assertThat(copy.subscriber("past").stats().lag()).isEqualTo(15);
      assertThat(copy.subscriber("fetched").batch(20, SOON))
          .extracting(Delivery::sequence)
          .startsWith(30L, 31L, 32L);
      assertThat(captured.warnings())
          .noneMatch(line -> line.contains("damaged"))
          .anyMatch(line -> line.contains("subscriber past") && line.contains("24 messages"))
          .anyMatch(line -> line.contains("subscriber fetched") && line.contains("2 messages"))
          .anyMatch(line -> line.contains("subscriber closed") && line.contains("18 messages"));
      assertThat(copy.stats().lostEver()).isZero();
      assertThat(copy.subscriber("closed").next().sequence()).isEqualTo(30);
      copy.close();

      copy = builder(directory.resolve("second")).backup(backups, Duration.ZERO).open();
      assertThat(copy.subscriber("past").batch(20, SOON))
          .extracting(Delivery::sequence)
          .startsWith(5L, 7L, 8L, 9L);
      assertThat(copy.subscriber("fetched").next().sequence()).isEqualTo(28);
      assertThat(copy.subscriber("closed").next().sequence()).isEqualTo(12);
      assertThat(captured.warnings()).noneMatch(line -> line.contains("damaged"));
      assertThat(copy.stats().lostEver()).isZero();
    }
  }

  @Test
  void shouldMakeNoneInTheDirectoryOfAnotherQueue() throws Exception {
    queue = builder(directory.resolve("data")).open();
    Path link = Files.createSymbolicLink(directory.resolve("link"), directory.resolve("other"));
    try (MessageQueue<String> other =
        MessageQueue.builder("prices", MessageConverter.utf8())
            .directory(directory.resolve("other"))
            .open()) {
      for (Path target :
          List.of(
              directory.resolve("other/prices"),
              directory.resolve("other/prices/log/deep/er"),
              link.resolve("prices/orders"),
              directory.resolve("none/../other/prices"))) {
        assertThatThrownBy(() -> queue.snapshot(target))
            .isInstanceOf(ConfigurationException.class)
            .hasMessageContaining("the directory of a queue");
      }
      assertThat(directory.resolve("none")).doesNotExist();
      assertThat(directory.resolve("other/prices/orders")).doesNotExist();
      assertThat(other.publisher().publish("works")).isZero();
      assertThat(queue.snapshot(link).directory()).exists(); // beside it
    }
  }

  @Test
  void shouldTellWhetherItCanBeLinked() throws Exception {
    queue = builder(directory.resolve("data")).open();
    Path same = Files.createDirectories(target());
    assertThat(queue.canLinkTo(same)).isTrue();
    assertThat(same).isEmptyDirectory();
    assertThatThrownBy(() -> queue.canLinkTo(directory.resolve("none")))
        .hasMessageContaining("cannot make a snapshot");
    Path memory = Path.of("/dev/shm");
    assumeTrue(Files.isWritable(memory), "SKIPPED: there is no second volume");
    assumeFalse(DurableFiles.onOneVolume(memory, same), "SKIPPED: one volume");
    assertThat(queue.canLinkTo(memory)).isFalse();
  }

  @Test
  void shouldRefuseWhatIsThere() throws Exception {
    queue = builder(directory.resolve("data")).open();
    publish(0, 3);
    Path there = Files.createDirectories(target().resolve("orders"));
    assertThatThrownBy(() -> queue.snapshot(target()))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("is there already");
    assertThat(there).isEmptyDirectory();
    assertThatThrownBy(() -> queue.snapshot(directory.resolve("data")))
        .isInstanceOf(ConfigurationException.class);
    assertThatThrownBy(() -> queue.snapshot(directory.resolve("data/orders/log/../copies")))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("own directory");
    assertThat(directory.resolve("data/orders/copies")).doesNotExist();
    Files.writeString(directory.resolve("file"), "");
    assertThatThrownBy(() -> queue.snapshot(directory.resolve("file")))
        .hasMessageContaining("queue orders: cannot make a snapshot");
    RunningQueue<String> running = queue.running();
    queue.close();
    assertThatThrownBy(() -> queue.snapshot(directory.resolve("x")))
        .isInstanceOf(QueueClosedException.class);
    assertThatThrownBy(() -> running.snapshotTo(directory.resolve("x/y/z"))) // when it has begun
        .isInstanceOf(QueueClosedException.class);
    assertThat(directory.resolve("x")).doesNotExist(); // which it made
    Files.createDirectories(directory.resolve("x/y"));
    assertThatThrownBy(() -> running.snapshotTo(directory.resolve("x/y/z/orders")))
        .isInstanceOf(QueueClosedException.class);
    assertThat(directory.resolve("x/y")).isEmptyDirectory(); // which was there
  }
}
