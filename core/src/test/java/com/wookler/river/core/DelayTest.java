package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.TimeSource;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.core.subscriber.DeadLetters;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Messages that are delivered later than they were published. */
class DelayTest {
  private static final Duration ON_TIME = Duration.ofMillis(50);
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration MILLI = Duration.ofMillis(1);
  private static final Instant BEGIN = Instant.parse("2026-11-20T10:00:00Z");

  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(BEGIN);
  private @Nullable MessageQueue<String> open;

  @AfterEach
  void close() {
    if (open != null) {
      open.close();
    }
  }

  private MessageQueue.Builder<String> builder() {
    return MessageQueue.builder("orders", MessageConverter.utf8())
        .directory(directory)
        .timeSource(time);
  }

  private MessageQueue<String> started(MessageQueue.Builder<String> builder) {
    MessageQueue<String> queue = builder.open();
    open = queue;
    return queue;
  }

  private MessageQueue<String> reopened(MessageQueue.Builder<String> builder) {
    close();
    return started(builder);
  }

  private static Message<String> delayed(String data, Duration by) {
    return Message.of(data).deliverAfter(by);
  }

  private static SubscriberConfig acking() {
    return SubscriberConfig.builder("billing").ack(true).build();
  }

  private Subscriber<String> billing() {
    return queue().subscriber(acking());
  }

  private MessageQueue<String> queue() {
    if (open == null) {
      throw new IllegalStateException("no queue is open");
    }
    return open;
  }

  private static List<String> take(Subscriber<String> subscriber, int count)
      throws InterruptedException {
    List<String> taken = new ArrayList<>();
    while (taken.size() < count) {
      Delivery<String> next = subscriber.next(Duration.ofHours(1));
      assertThat(next).as("behind %s", taken).isNotNull();
      next.ack();
      taken.add(next.data());
    }
    return taken;
  }

  /** All that is due was handed over, and nothing else. */
  private void shouldGiveNothing(Subscriber<String> subscriber) {
    await().pollDelay(Duration.ofMillis(60)).until(() -> subscriber.next() == null);
  }

  @Test
  void shouldDeliverAtATime() throws InterruptedException {
    MessageQueue<String> queue = started(builder());
    Subscriber<String> billing = billing();
    Instant at = BEGIN.plus(MINUTE);
    Message<String> message = Message.of("later").deliverAt(at).withKey("key").withId("id");
    assertThat(message.deliverAt()).isEqualTo(at);
    assertThat(message.deliverAfter(MINUTE).deliverAt()).isNull();
    assertThat(Message.of("x").deliverAfter(MINUTE).deliverAt(at).delay()).isNull();
    time.advance(Duration.ofSeconds(20)); // since it was made
    queue.publisher().publish(message);
    queue.publisher().putAll(List.of(message, message.deliverAt(BEGIN)), Durability.MEMORY);
    assertThat(take(billing, 1)).containsExactly("later"); // its time has passed
    time.advance(Duration.ofSeconds(40).minus(MILLI));
    shouldGiveNothing(billing);
    reopened(builder());
    time.advance(MILLI);
    assertThat(take(billing(), 2)).containsExactly("later", "later");
    Message<String> far =
        message.deliverAt(BEGIN.plus(Message.LONGEST_DELAY).plus(MINUTE.multipliedBy(2)));
    assertThatThrownBy(() -> queue().publisher().publish(far))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a delivery at " + far.deliverAt());
  }

  @Test
  void shouldDeliverWhenItIsDueAndNotBefore() throws InterruptedException {
    MessageQueue<String> queue = started(builder());
    Subscriber<String> billing = billing();
    Message<String> message =
        delayed("later", MINUTE)
            .withKey("key")
            .withHeader("trace", new byte[] {7})
            .withId("id")
            .deliverAfter(MINUTE);
    assertThat(message.delay()).isEqualTo(MINUTE);
    assertThat(queue.publisher().publish(message)).isZero();
    assertThat(queue.publisher().publish("now")).isEqualTo(1);
    assertThat(take(billing, 1)).containsExactly("now");
    await().until(() -> queue.stats().delayed() == 1);
    time.advance(MINUTE.minus(MILLI));
    shouldGiveNothing(billing);
    assertThat(billing.peek(10)).isEmpty();
    assertThat(billing.stats().lag()).isZero();
    assertThat(billing.stats().filtered()).isZero();

    time.advance(MILLI);
    Delivery<String> due = billing.next(Duration.ofHours(1));
    assertThat(due).isNotNull();
    assertThat(due.data()).isEqualTo("later");
    assertThat(due.sequence()).isZero();
    assertThat(due.attempt()).isEqualTo(1);
    assertThat(due.publishedAt()).isEqualTo(BEGIN);
    assertThat(due.key()).isEqualTo("key");
    assertThat(due.headers().get("trace")).containsExactly(7);
    due.ack();
    assertThat(billing.stats().ackFloor()).isEqualTo(3);
    shouldGiveNothing(billing);
    assertThat(queue.stats().delayed()).isZero();
    assertThat(queue.read(0).orElseThrow().data()).isEqualTo("later");
    assertThat(queue.read(2).orElseThrow().sequence()).isZero();
  }

  @Test
  void shouldTakeASequenceMoreForItsPlace() throws InterruptedException {
    MessageQueue<String> queue = started(builder());
    Subscriber<String> billing = billing();
    queue.publisher().publish("a");
    assertThat(queue.publisher().publish(delayed("b", Duration.ofSeconds(9)))).isEqualTo(1);
    queue.publisher().publish(delayed("c", Duration.ofDays(1)));
    assertThat(queue.publisher().publish("d")).isEqualTo(3);
    billing.next();
    billing.next();
    time.advance(Duration.ofSeconds(9));
    Delivery<String> due = billing.next(Duration.ofHours(1));
    assertThat(due).isNotNull();
    assertThat(due.sequence()).isEqualTo(1);
    assertThat(due.place()).isEqualTo(4);
    assertThat(queue.publisher().publish("e")).isEqualTo(5);

    billing.ackUpTo(due);

    assertThat(billing.stats().ackFloor()).isEqualTo(5); // "d", published behind it, is finished
    assertThat(queue.read(1, 10))
        .extracting(Delivery::data)
        .containsExactly("b", "c", "d", "b", "e");
    assertThat(queue.read(1, 10))
        .extracting(Delivery::sequence)
        .containsExactly(1L, 2L, 3L, 1L, 5L);
    time.advance(Duration.ofDays(1));
    assertThat(take(billing, 2)).containsExactly("e", "c");
  }

  @Test
  void shouldNeedNothingWhereNothingIsDelayed() {
    MessageQueue<String> queue = started(builder());
    queue.publisher().publish(delayed("at once", Duration.ZERO));
    queue.force();
    assertThat(billing().next()).isNotNull();
    assertThat(directory.resolve("orders/delayed")).doesNotExist();
    assertThat(Thread.getAllStackTraces().keySet())
        .noneMatch(thread -> thread.getName().startsWith("RIVER-timer"));
  }

  @Test
  void shouldRefuseDelaysThatMakeNoSense() {
    assertThatThrownBy(() -> delayed("before", Duration.ofNanos(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("366 days");
    assertThatThrownBy(() -> delayed("never", Duration.ofDays(366).plusNanos(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("366 days");
    assertThat(delayed("now", Duration.ZERO).delay()).isNull();
    assertThat(delayed("last", Duration.ofDays(366)).delay()).isEqualTo(Duration.ofDays(366));
  }

  @Test
  void shouldDeliverInTheOrderInWhichTheyFallDue() throws InterruptedException {
    MessageQueue<String> queue = started(builder());
    Subscriber<String> billing = billing();
    queue
        .publisher()
        .putAll(
            List.of(
                delayed("third", Duration.ofSeconds(3)),
                Message.of("now"),
                delayed("first", Duration.ofSeconds(1)),
                delayed("second", Duration.ofSeconds(2)),
                delayed("also second", Duration.ofSeconds(2))),
            Durability.MEMORY);
    assertThat(take(billing, 1)).containsExactly("now");
    queue.force();
    queue.publisher().publish(delayed("half", Duration.ofMillis(1_500)));
    time.advance(MINUTE);
    assertThat(take(billing, 5)).containsExactly("first", "half", "second", "also second", "third");
  }

  @Test
  void shouldKeepThemAcrossRestarts() throws InterruptedException {
    MessageQueue<String> queue = started(builder());
    for (int i = 1; i <= 5; i++) {
      queue.publisher().publish(delayed("m" + i, MINUTE.multipliedBy(i)));
    }
    queue = reopened(builder());
    assertThat(queue.stats().delayed()).isEqualTo(5);
    Subscriber<String> billing = billing();
    time.advance(MINUTE.multipliedBy(2));
    assertThat(take(billing, 2)).containsExactly("m1", "m2");
    queue = reopened(builder());
    assertThat(queue.stats().delayed()).isEqualTo(3);
    close();
    time.advance(MINUTE.multipliedBy(2));
    started(builder());
    assertThat(take(billing(), 2)).containsExactly("m3", "m4");
    shouldGiveNothing(billing());
    time.advance(MINUTE);
    assertThat(take(billing(), 1)).containsExactly("m5");
  }

  @Test
  void shouldRetryAndBuryLikeAnyOther() throws InterruptedException {
    MessageQueue<String> queue = started(builder());
    Subscriber<String> billing =
        queue.subscriber(SubscriberConfig.builder("billing").ack(true).maxDeliveries(2).build());
    queue.publisher().publish("0");
    queue.publisher().publish(delayed("late", MINUTE));
    queue.publisher().publish("2");
    assertThat(take(billing, 2)).containsExactly("0", "2");
    time.advance(MINUTE);
    Delivery<String> first = billing.next(Duration.ofHours(1));
    assertThat(first).isNotNull();
    assertThat(first.sequence()).isEqualTo(1);
    first.nack();
    Delivery<String> second = billing.next();
    assertThat(second).isNotNull();
    assertThat(second.attempt()).isEqualTo(2);
    assertThat(second.sequence()).isEqualTo(1);
    assertThat(second.publishedAt()).isEqualTo(BEGIN);
    second.reject("no good");
    await().until(() -> billing.deadLetters().size() == 1);
    Delivery<String> letter = billing.deadLetters().peek(1).get(0);
    assertThat(header(letter, DeadLetters.SEQUENCE)).isEqualTo("1");
    assertThat(header(letter, DeadLetters.PLACE)).isEqualTo("3");
    assertThat(header(letter, DeadLetters.PUBLISHED)).isEqualTo(BEGIN.toString());
    await().until(() -> billing.stats().lag() == 0);
    await().until(() -> billing.stats().ackFloor() == 4); // once the letter is forced
  }

  private static String header(Delivery<String> letter, String name) {
    return new String(letter.headers().get(name), StandardCharsets.UTF_8);
  }

  @Test
  void shouldCountItsExpiryFromThePublish() throws InterruptedException {
    MessageQueue<String> queue = started(builder());
    Subscriber<String> billing = billing();
    queue.publisher().publish(delayed("stale", MINUTE).expiresAfter(MINUTE.plusNanos(1_000)));
    queue.publisher().publish(delayed("fresh", MINUTE).expiresAfter(Duration.ofSeconds(61)));
    time.advance(MINUTE.plusNanos(1_000));
    Delivery<String> fresh = billing.next(Duration.ofHours(1));
    assertThat(fresh).isNotNull();
    assertThat(fresh.data()).isEqualTo("fresh");
    assertThat(billing.stats().expired()).isEqualTo(1);
    time.advance(Duration.ofSeconds(1));
    fresh.nack();
    shouldGiveNothing(billing);
    assertThat(billing.stats().expired()).isEqualTo(2);
  }

  @Test
  void shouldGiveItOnceToWhoeverGoesBack() throws InterruptedException {
    MessageQueue<String> queue = started(builder());
    Subscriber<String> billing = billing();
    queue.publisher().publish(delayed("later", MINUTE));
    queue.publisher().publish("now");
    assertThat(take(billing, 1)).containsExactly("now");
    time.advance(MINUTE);
    assertThat(take(billing, 1)).containsExactly("later");
    billing.seek(Position.earliest());
    assertThat(take(billing, 2)).containsExactly("now", "later");
    assertThat(queue.subscriber("new").batch(10, Duration.ZERO)).hasSize(2);
    shouldGiveNothing(billing);
  }

  @Test
  void shouldAnswerARepetitionWithTheDelayedOnesSequence() {
    MessageQueue<String> queue = started(builder().deduplicate(Duration.ofHours(1)));
    Message<String> message = delayed("once", MINUTE).withId("id");
    queue.publisher().publish("other");
    assertThat(queue.publisher().publish(message)).isEqualTo(1);
    time.advance(MINUTE);
    await().until(() -> queue.stats().nextSequence() == 3);
    PublishResult again = queue.publisher().put(message, Durability.MEMORY);
    assertThat(again.sequence()).isEqualTo(1);
    assertThat(again.duplicate()).isTrue();
    MessageQueue<String> reopened = reopened(builder().deduplicate(Duration.ofHours(1)));
    assertThat(reopened.publisher().publish(message)).isEqualTo(1);
  }

  @Test
  void shouldPinNoBlock() throws InterruptedException {
    MessageQueue<String> queue =
        started(
            builder()
                .recycle(SizeBasedRecycle.ofMessages(10))
                .backup(directory.resolve("backup"), Duration.ZERO));
    Subscriber<String> billing = billing();
    queue.publisher().publish(delayed("in a year", Duration.ofDays(365)));
    for (int i = 1; i < 30; i++) {
      queue.publisher().publish("m" + i);
    }
    take(billing, 29);
    await()
        .until(
            () -> {
              time.advance(Duration.ofMillis(200));
              return queue.stats().firstSequence() >= 20;
            });
    assertThat(queue.stats().delayed()).isEqualTo(1);
    MessageQueue<String> reopened = reopened(builder().recycle(SizeBasedRecycle.ofMessages(10)));
    assertThat(reopened.stats().delayed()).isEqualTo(1);
    time.advance(Duration.ofDays(365));
    Delivery<String> due = billing().next(Duration.ofHours(1));
    assertThat(due).isNotNull();
    assertThat(due.sequence()).isZero();
    assertThat(due.data()).isEqualTo("in a year");
  }

  @Test
  void shouldCountWhatWaitsInTheLimitsAndRefuseNoDueOne() throws InterruptedException {
    MessageQueue<String> queue = started(builder().maxMessages(10));
    Subscriber<String> billing = billing();
    for (int i = 0; i < 10; i++) {
      queue.publisher().publish(delayed("d" + i, MINUTE));
    }
    await().until(() -> queue.stats().delayed() == 10);
    shouldGiveNothing(billing);
    assertThatThrownBy(() -> queue.publisher().publish("one more"))
        .isInstanceOf(QueueFullException.class);
    time.advance(MINUTE);
    assertThat(take(billing, 10)).contains("d0", "d9");
    assertThat(queue.publisher().publish("one more")).isEqualTo(20);
  }

  @Test
  void shouldCountWhatWaitsBesideWhatASubscriberNeedsAndNothingTwice() {
    MessageQueue<String> queue = started(builder().maxMessages(10));
    Subscriber<String> billing = billing();
    for (int i = 0; i < 5; i++) {
      queue.publisher().publish(delayed("d" + i, MINUTE));
    }
    await().until(() -> queue.stats().delayed() == 5);
    for (int i = 0; i < 4; i++) {
      queue.publisher().publish("m" + i); // 9: the subscriber has not passed the delayed ones yet
    }
    assertThat(billing.next()).isNotNull(); // it has now, and has four messages
    queue.publisher().publish("m4");
    assertThatThrownBy(() -> queue.publisher().publish("one more"))
        .isInstanceOf(QueueFullException.class);
    assertThat(billing.stats().lag()).isEqualTo(5);

    close();
    MessageQueue<String> again = started(builder().maxMessages(10));
    billing();
    assertThatThrownBy(() -> again.publisher().publish("one more"))
        .isInstanceOf(QueueFullException.class);
  }

  @Test
  void shouldBeOnTimeByTheSystemsClock() throws InterruptedException {
    MessageQueue<String> queue = started(builder().timeSource(TimeSource.system()));
    Subscriber<String> billing = billing();
    queue.publisher().publish(delayed("first", MILLI)); // which makes the files
    take(billing, 1);
    List<Duration> late = late(billing, 20);
    for (int round = 0; round < 10 && late.get(15).compareTo(ON_TIME) >= 0; round++) {
      late = late(billing, 20); // the machine was busy with something else
    }
    assertThat(late.get(15)).as("all: %s", late).isLessThan(ON_TIME);
  }

  /** Publishes with delays, and returns how late each came, in order. */
  private List<Duration> late(Subscriber<String> billing, int messages)
      throws InterruptedException {
    List<Duration> late = new ArrayList<>();
    for (int i = 1; i <= messages; i++) {
      Duration delay = Duration.ofMillis(20L * i);
      queue().publisher().publish(delayed(String.valueOf(delay.toNanos()), delay));
    }
    for (int i = 0; i < messages; i++) {
      Delivery<String> due = billing.next(MINUTE);
      assertThat(due).isNotNull();
      Duration since = Duration.between(due.publishedAt(), TimeSource.system().wallTime());
      late.add(since.minusNanos(Long.parseLong(due.data())));
      due.ack();
    }
    late.sort(null);
    assertThat(late.get(0)).isGreaterThanOrEqualTo(Duration.ZERO);
    return late;
  }

  @Test
  void shouldCloseWhileMessagesAreComingDue() throws InterruptedException {
    Set<String> came = new HashSet<>();
    int published = 0;
    for (int round = 0; round < 4; round++) {
      MessageQueue<String> queue = started(builder().timeSource(TimeSource.system()));
      Subscriber<String> audit = queue.subscriber("audit");
      for (int i = 0; i < 300; i++) {
        queue.publisher().publish(delayed("m" + published++, Duration.ofMillis(i % 40)));
      }
      for (Delivery<String> one : audit.batch(100, Duration.ofMillis(20))) {
        assertThat(came.add(one.data())).isTrue();
      }
      close();
    }
    MessageQueue<String> queue = started(builder().timeSource(TimeSource.system()));
    Subscriber<String> audit = queue.subscriber("audit");
    while (came.size() < published) {
      Delivery<String> next = audit.next(MINUTE);
      assertThat(next).isNotNull();
      assertThat(came.add(next.data())).isTrue();
    }
    assertThat(audit.next(Duration.ofMillis(100))).isNull();
    assertThat(queue.stats().delayed()).isZero();
  }

  /** What happens to the files of delayed messages while the queue is closed. */
  enum FilesAre {
    DELETED,
    DAMAGED,
    ALL_GONE
  }

  @ParameterizedTest
  @EnumSource
  void shouldFindInTheBackupWhatItsFilesHaveLost(FilesAre after) throws Exception {
    MessageQueue.Builder<String> settings =
        builder()
            .recycle(SizeBasedRecycle.ofMessages(10))
            .backup(directory.resolve("backup"), Duration.ZERO);
    MessageQueue<String> queue = started(settings);
    Subscriber<String> billing = billing();
    queue.publisher().publish(delayed("d0", Duration.ofDays(1)));
    queue.publisher().publish(delayed("d1", Duration.ofDays(2)));
    for (int i = 2; i < 30; i++) {
      queue.publisher().publish("m" + i);
    }
    take(billing, 28);
    await()
        .until(
            () -> {
              time.advance(Duration.ofMillis(200));
              return queue.stats().firstSequence() >= 20;
            });
    close();
    lose(directory.resolve("orders/delayed"), after);

    MessageQueue<String> reopened = started(settings);
    await().until(() -> reopened.stats().delayed() == 2);
    time.advance(Duration.ofDays(1));
    assertThat(take(billing(), 1)).containsExactly("d0");
    shouldGiveNothing(billing());
    time.advance(Duration.ofDays(1));
    assertThat(take(billing(), 1)).containsExactly("d1");
    shouldGiveNothing(billing());
    assertThat(reopened.stats().lost()).isZero();
  }

  private static void lose(Path delayed, FilesAre after) throws IOException {
    if (after == FilesAre.ALL_GONE) { // the states, too, and the directory
      DataDirectory.deleteTree(delayed);
      return;
    }
    try (Stream<Path> files = Files.list(delayed)) {
      List<Path> affected = files.filter(file -> file.toString().contains("due-")).toList();
      assertThat(affected).isNotEmpty();
      for (Path file : affected) {
        if (after == FilesAre.DAMAGED) {
          byte[] bytes = Files.readAllBytes(file);
          Arrays.fill(bytes, 0, bytes.length, (byte) 7);
          Files.write(file, bytes);
        } else {
          Files.delete(file);
        }
      }
    }
  }

  @Test
  void shouldTellListenersWhatDamageTook() throws Exception {
    MessageQueue<String> queue =
        started(builder().recycle(SizeBasedRecycle.ofMessages(2)).blockBytes(1 << 20));
    Subscriber<String> billing = billing();
    queue.publisher().publish(delayed("damaged", MINUTE));
    queue.publisher().publish(delayed("sound", MINUTE));
    queue.publisher().publish("a");
    queue.publisher().publish("b");
    queue.publisher().publish("c");
    take(billing, 3);
    await()
        .until(
            () -> {
              time.advance(Duration.ofMillis(200));
              return queue.stats().firstSequence() >= 2;
            });
    close();
    Path file = directory.resolve("orders/delayed/due-000000000001");
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length / 2 - 1] ^= 1; // of the first one's data
    Files.write(file, bytes);
    List<Long> heard = new CopyOnWriteArrayList<>();
    MessageQueue<String> again = started(builder());
    again.addListener(
        new QueueListener() {
          @Override
          public void damaged(int block, Path in, long first, long messages) {
            heard.addAll(List.of((long) block, first, messages));
          }
        });
    time.advance(MINUTE);
    assertThat(take(billing(), 1)).containsExactly("sound");
    await().until(() -> heard.size() == 3);
    assertThat(heard).containsExactly(-1L, 0L, 1L);
    assertThat(Files.readString(directory.resolve("orders/damage.log"))).contains("due-0000");
  }

  @Test
  void shouldDeleteWhatWaitsWithTheQueue() {
    MessageQueue<String> queue = started(builder());
    queue.publisher().publish(delayed("later", MINUTE));
    queue.force();
    assertThat(Files.exists(directory.resolve("orders/delayed/due-000000000001"))).isTrue();
    queue.delete();
    assertThat(directory.resolve("orders")).doesNotExist();
  }

  private void publishDelayed(String prefix, int messages) {
    List<Message<String>> all = new ArrayList<>();
    for (int i = 0; i < messages; i++) {
      all.add(delayed(prefix + i, MINUTE));
    }
    queue().publisher().putAll(all, Durability.MEMORY);
  }

  @Test
  void shouldDeliverAPlainMessageThatFollowsManyDelayedOnes() throws InterruptedException {
    started(builder());
    Subscriber<String> billing = billing();
    for (int i = 0; i < 10; i++) {
      publishDelayed("later-", 5_000);
    }
    queue().publisher().publish("now");
    assertThat(billing.next()).extracting(Delivery::data).isEqualTo("now");
    publishDelayed("later-", 50_000);
    queue().publisher().publish("then");
    assertThat(billing.batchAsync(10, Duration.ofHours(1)).join())
        .extracting(Delivery::data)
        .containsExactly("then");
    assertThat(billing.stats().lag()).isEqualTo(2);
  }

  @Test
  void shouldPassOverDelayedMessagesNoFurtherThanTheWindowReaches() throws InterruptedException {
    started(builder());
    Subscriber<String> billing =
        queue()
            .subscriber(
                SubscriberConfig.builder("billing").ack(true).maxInFlight(10).window(100).build());
    queue().publisher().publish("held");
    publishDelayed("later-", 500);
    queue().publisher().publish("after");
    Delivery<String> held = billing.next();
    assertThat(billing.next()).isNull();
    assertThat(billing.stats().windowUsed()).isEqualTo(100);
    held.ack();
    assertThat(take(billing, 1)).containsExactly("after");
    time.advance(MINUTE);
    queue().publisher().publish(delayed("wakes", MILLI));
    assertThat(take(billing, 500)).startsWith("later-0").endsWith("later-499");
  }

  @Test
  void shouldDeliverAllThatIsDueToEachSubscriberOfAnyTime() throws InterruptedException {
    MessageQueue<String> queue =
        started(
            builder()
                .recycle(SizeBasedRecycle.ofMessages(100))
                .backup(directory.resolve("backup"), Duration.ofDays(1)));
    Subscriber<String> billing = billing();
    Subscriber<String> shipping =
        queue.subscriber(SubscriberConfig.builder("shipping").ack(true).build());
    publishDelayed("early-", 1_000);
    queue.publisher().publish("plain");
    publishDelayed("later-", 1_000);
    await().until(() -> queue.stats().delayed() == 2_000);
    time.advance(MINUTE);
    queue.publisher().publish(delayed("wakes", MILLI));
    List<String> all = take(billing, 2_001);
    await()
        .until(
            () -> {
              time.advance(Duration.ofMillis(200));
              return queue.stats().firstSequence() == 1_000; // shipping has passed what is delayed
            });
    Subscriber<String> late =
        queue.subscriber(
            SubscriberConfig.builder("late").ack(true).start(Position.earliest()).build());
    assertThat(late.stats().ackFloor()).isEqualTo(1_000);
    assertThat(take(late, 2_001)).isEqualTo(all).doesNotHaveDuplicates();
    assertThat(take(shipping, 2_001)).isEqualTo(all);
  }
}
