package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.log.StoredTimes;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.testing.CapturedLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The wall clock is set, within a run or between two. */
@Timeout(120)
class ClockStepTest {
  private static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");
  private static final Duration HALF_DAY = Duration.ofHours(12);
  private static final Duration SECOND = Duration.ofSeconds(1);

  /** When a clock that was half a day ahead is set right. */
  enum SetRight {
    WITHIN_THE_RUN,
    BETWEEN_RUNS
  }

  @TempDir Path directory;

  private ManualTimeSource time = new ManualTimeSource(NOON);

  private MessageQueue.Builder<String> builder() {
    return MessageQueue.builder("orders", MessageConverter.utf8())
        .directory(directory.resolve("data"))
        .timeSource(time);
  }

  /** The queue after its clock, which was half a day ahead, was set right. */
  private MessageQueue<String> setRight(
      MessageQueue<String> queue, MessageQueue.Builder<String> builder, SetRight when)
      throws IOException {
    if (when == SetRight.WITHIN_THE_RUN) {
      StoredTimes times = queue.running().log().times();
      Object before = times.version();
      time.stepWall(HALF_DAY.negated());
      await().until(() -> !before.equals(times.version()));
      assertThat(directory.resolve("data/orders/log/clock")).exists();
      return queue;
    }
    queue.close();
    time = new ManualTimeSource(time.wallTime().minus(HALF_DAY));
    return builder.timeSource(time).open();
  }

  private static String next(Subscriber<String> subscriber) throws InterruptedException {
    Delivery<String> next = subscriber.next(Duration.ofHours(1));
    assertThat(next).isNotNull();
    return next.data();
  }

  @ParameterizedTest
  @EnumSource
  void shouldDelayByItsDurationAfterTheClockWasAhead(SetRight when) throws Exception {
    MessageQueue<String> queue = builder().open();
    time.stepWall(HALF_DAY);
    Subscriber<String> audit = queue.subscriber("audit");
    queue.publisher().publish(Message.of("ahead").deliverAfter(SECOND));
    await().until(() -> queue.stats().delayed() == 1);
    time.advance(SECOND);
    assertThat(next(audit)).isEqualTo("ahead");
    queue.publisher().publish(Message.of("waits").deliverAfter(Duration.ofSeconds(2)));
    await().until(() -> queue.stats().delayed() == 1);

    try (MessageQueue<String> right = setRight(queue, builder(), when)) {
      Subscriber<String> again = right.subscriber("audit");
      right.publisher().publish(Message.of("new").deliverAfter(Duration.ofSeconds(4)));
      await().until(() -> right.stats().delayed() == 2);
      time.advance(Duration.ofMillis(1_900));
      assertThat(again.next()).isNull();
      time.advance(Duration.ofMillis(100));
      assertThat(next(again)).isEqualTo("waits");
      assertThat(again.next()).isNull();
      time.advance(Duration.ofSeconds(2));
      assertThat(next(again)).isEqualTo("new");
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldDelayByItsDurationWhatIsFoundAgainInTheLog(SetRight when) throws Exception {
    MessageQueue<String> queue = builder().open();
    queue.subscriber("audit");
    time.stepWall(HALF_DAY);
    queue.publisher().publish(Message.of("waits").deliverAfter(Duration.ofHours(1)));
    await().until(() -> queue.stats().delayed() == 1);
    setRight(queue, builder(), when).close();
    try (Stream<Path> files = Files.list(directory.resolve("data/orders/delayed"))) {
      List<Path> lost = files.filter(file -> file.toString().contains("due-")).toList();
      assertThat(lost).isNotEmpty();
      for (Path file : lost) {
        Files.delete(file);
      }
    }
    time.advance(Duration.ofMinutes(5)); // that it is closed for

    try (MessageQueue<String> again = builder().open()) {
      Subscriber<String> audit = again.subscriber("audit");
      await().until(() -> again.stats().delayed() == 1);
      time.advance(Duration.ofMinutes(55).minus(SECOND));
      assertThat(audit.next()).isNull();
      time.advance(SECOND);
      assertThat(next(audit)).isEqualTo("waits");
      assertThat(audit.next()).isNull();
    }
  }

  @Test
  void shouldNotDeliverADelayedMessageEarlyWhereTheClockIsSetForward() throws Exception {
    try (MessageQueue<String> queue = builder().open()) {
      Subscriber<String> audit = queue.subscriber("audit");
      queue.publisher().publish(Message.of("in a minute").deliverAfter(Duration.ofMinutes(1)));
      await().until(() -> queue.stats().delayed() == 1);
      time.stepWall(HALF_DAY);
      queue.publisher().publish(Message.of("later").deliverAfter(Duration.ofMinutes(2)));
      await().until(() -> queue.stats().delayed() == 2);
      time.advance(Duration.ofSeconds(59));
      assertThat(audit.next()).isNull();
      time.advance(SECOND);
      assertThat(next(audit)).isEqualTo("in a minute");
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldExpireAfterTheClockWasAhead(SetRight when) throws Exception {
    MessageQueue.Builder<String> settings = builder().maxAge(Duration.ofMinutes(10), null);
    MessageQueue<String> queue = settings.open();
    Subscriber<String> audit = queue.subscriber("audit");
    time.stepWall(HALF_DAY);
    queue.publisher().publish(Message.of("ahead").expiresAfter(Duration.ofMinutes(1)));
    queue.publisher().publish("ahead, by the age of the queue");

    try (MessageQueue<String> right = setRight(queue, settings, when)) {
      Subscriber<String> again = right.subscriber("audit");
      assertThat(again.name()).isEqualTo(audit.name());
      right.publisher().publish(Message.of("right").expiresAfter(Duration.ofMinutes(1)));
      await().until(() -> again.stats().expired() == 0 && again.stats().lag() == 3);
      time.advance(Duration.ofSeconds(61));
      await().until(() -> again.stats().expired() == 1);
      time.advance(Duration.ofMinutes(10));
      await().until(() -> again.stats().expired() == 3);
      assertThat(again.next()).isNull();
    }
  }

  @Test
  void shouldExpireByTheWallClockWhereItIsSetForward() throws Exception {
    try (MessageQueue<String> queue = builder().open()) {
      Subscriber<String> audit = queue.subscriber("audit");
      queue.publisher().publish(Message.of("asleep").expiresAfter(Duration.ofHours(1)));
      await().pollDelay(Duration.ofMillis(300)).until(() -> audit.stats().lag() == 1);
      time.stepWall(HALF_DAY);
      await().until(() -> audit.stats().expired() == 1);
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldKeepAckTimeouts(SetRight when) throws Exception {
    SubscriberConfig billing =
        SubscriberConfig.builder("billing").ack(true).ackTimeout(Duration.ofMinutes(1)).build();
    MessageQueue<String> queue = builder().open();
    queue.subscriber(billing);
    time.stepWall(HALF_DAY);
    queue.publisher().publish("order");
    try (MessageQueue<String> right = setRight(queue, builder(), when)) {
      Subscriber<String> again = right.subscriber(billing);
      assertThat(next(again)).isEqualTo("order");
      time.advance(Duration.ofSeconds(59));
      time.stepWall(HALF_DAY);
      assertThat(again.next()).isNull();
      time.stepWall(HALF_DAY.multipliedBy(-3));
      assertThat(again.next()).isNull();
      time.advance(SECOND);
      assertThat(next(again)).isEqualTo("order");
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldRemoveFromLogAndBackupAfterTheClockWasAhead(SetRight when) throws Exception {
    Path backup = directory.resolve("backup");
    MessageQueue.Builder<String> settings =
        builder()
            .recycle(SizeBasedRecycle.ofMessages(1))
            .retention(Retention.ofAge(Duration.ofMinutes(10)))
            .backup(backup, Duration.ofHours(1));
    MessageQueue<String> queue = settings.open();
    time.stepWall(HALF_DAY);
    queue.publisher().publish("of which a backup is made while the clock is ahead");
    time.advance(Duration.ofMinutes(11));
    await().until(() -> backups(backup) == 1);
    await().until(() -> queue.stats().blocks() == 1); // it leaves the log after its backup is made
    queue.publisher().publish("ahead");

    try (MessageQueue<String> right = setRight(queue, settings, when)) {
      right.publisher().publish("right");
      time.advance(Duration.ofMinutes(9));
      right.publisher().publish("younger");
      assertThat(right.stats().blocks()).isEqualTo(4);
      time.advance(Duration.ofMinutes(2));
      await().until(() -> right.stats().blocks() == 2);
      await().until(() -> backups(backup) == 3);
      time.advance(Duration.ofMinutes(20));
      await().until(() -> backups(backup) == 4);
      time.advance(Duration.ofMinutes(61));
      await().until(() -> backups(backup) == 0);
    }
  }

  private static long backups(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      return 0;
    }
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(file -> file.toString().endsWith(".zst")).count();
    } catch (UncheckedIOException e) { // something went meanwhile
      return -1;
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldForgetIdsAfterTheClockWasAhead(SetRight when) throws Exception {
    MessageQueue.Builder<String> settings = builder().deduplicate(Duration.ofMinutes(10));
    MessageQueue<String> queue = settings.open();
    time.stepWall(HALF_DAY);
    queue.publisher().put(Message.of("ahead").withId("1"), Durability.MEMORY);

    try (MessageQueue<String> right = setRight(queue, settings, when)) {
      assertThat(
              right.publisher().put(Message.of("again").withId("1"), Durability.MEMORY).duplicate())
          .isTrue();
      right.publisher().put(Message.of("right").withId("2"), Durability.MEMORY);
      time.advance(Duration.ofMinutes(9));
      assertThat(
              right.publisher().put(Message.of("again").withId("1"), Durability.MEMORY).duplicate())
          .isTrue();
      time.advance(Duration.ofMinutes(2));
      assertThat(
              right.publisher().put(Message.of("again").withId("1"), Durability.MEMORY).duplicate())
          .isFalse();
      assertThat(
              right.publisher().put(Message.of("again").withId("2"), Durability.MEMORY).duplicate())
          .isFalse();
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldKeepPublishTimesInOrderAndFindThem(SetRight when) throws Exception {
    MessageQueue<String> queue = builder().open();
    queue.publisher().publish("before");
    time.stepWall(HALF_DAY);
    queue.publisher().publish("ahead");
    try (MessageQueue<String> right = setRight(queue, builder(), when)) {
      right.publisher().publish("right");
      time.advance(HALF_DAY.plusHours(1));
      Instant caughtUp = time.wallTime();
      right.publisher().publish("caught up");
      List<Delivery<String>> all = right.subscriber("audit").batch(4, Duration.ZERO);
      assertThat(all).extracting(Delivery::publishedAt).isSorted();
      assertThat(all.get(1).publishedAt()).isEqualTo(NOON.plus(HALF_DAY));
      assertThat(all.get(2).publishedAt())
          .isBetween(NOON.plus(HALF_DAY), NOON.plus(HALF_DAY).plusSeconds(1));
      assertThat(all.get(3).publishedAt()).isEqualTo(caughtUp);
      assertThat(right.sequenceAt(caughtUp)).hasValue(3);
      assertThat(right.sequenceAt(NOON.plus(HALF_DAY))).hasValue(1);
    }
  }

  @Test
  void shouldSayOnceThatTheClockWasAhead() {
    try (MessageQueue<String> queue = builder().open()) {
      queue.publisher().publish("ahead");
    }
    time = new ManualTimeSource(NOON.minus(HALF_DAY));
    try (CapturedLog log = new CapturedLog("com.wookler.river.core")) {
      for (int i = 0; i < 2; i++) {
        try (MessageQueue<String> queue = builder().open()) {
          queue.publisher().publish("right");
        }
      }
      assertThat(log.warnings()).singleElement().asString().contains("set back by PT12H");
    }
  }

  @Test
  void shouldRemoveWhatWasSetAsideWhenTheClockWasAhead() throws Exception {
    Path aside = directory.resolve("data/orders.discarded-20261121T000000.000Z");
    Files.createDirectories(aside);
    builder().discardedRetention(Duration.ofHours(1)).open().close();
    assertThat(aside).doesNotExist();
    Path renamed = directory.resolve("data/orders.discarded-20261120T120000.000Z");
    assertThat(renamed).exists();
    time.advance(Duration.ofMinutes(61));
    builder().discardedRetention(Duration.ofHours(1)).open().close();
    assertThat(renamed).doesNotExist();
  }
}
