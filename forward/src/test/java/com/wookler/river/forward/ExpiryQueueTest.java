package com.wookler.river.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.QueueListener;
import com.wookler.river.core.QueueOptions;
import com.wookler.river.core.SizeBasedRecycle;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.ForwardOrigin;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueFailedException;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.core.subscriber.DeadLetters;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.core.subscriber.SubscriberOptions;
import com.wookler.river.testing.Aside;
import com.wookler.river.testing.CapturedLog;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Messages that expire and are transferred to another queue. */
@Timeout(120)
class ExpiryQueueTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));
  private final List<MessageQueue<String>> open = new ArrayList<>();
  private MessageQueue<String> queue;

  @AfterEach
  void close() {
    open.forEach(MessageQueue::close);
  }

  private MessageQueue.Builder<String> builder(String name) {
    return MessageQueue.builder(name, MessageConverter.utf8())
        .directory(directory)
        .recycle(SizeBasedRecycle.ofMessages(10))
        .timeSource(time);
  }

  private MessageQueue<String> started(MessageQueue.Builder<String> builder) {
    MessageQueue<String> made = builder.open();
    open.add(made);
    return made;
  }

  private void publish(int messages) {
    for (int i = 0; i < messages; i++) {
      queue.publisher().publish("m" + queue.stats().nextSequence());
    }
  }

  private Subscriber<String> acking(String name) {
    return queue.subscriber(
        SubscriberConfig.builder(name).ack(true).ackTimeout(Duration.ofSeconds(30)).build());
  }

  private static List<String> all(Subscriber<String> subscriber) throws InterruptedException {
    return subscriber.batch(1_000, Duration.ZERO).stream().map(Delivery::data).toList();
  }

  @Test
  void shouldHandOnWhatExpiresBeforeItIsFinished() throws InterruptedException {
    MessageQueue<String> expired = started(builder("expired"));
    queue = started(builder("orders").maxAge(MINUTE, "expired"));
    Subscriber<String> acking = acking("acking");
    queue
        .publisher()
        .publish(
            Message.of("data").withKey("key").withHeader("trace", new byte[] {7}).withId("id"));
    queue.force();
    time.advance(MINUTE);
    publish(1);
    assertThat(all(acking)).containsExactly("m1");
    Delivery<String> copy = expired.read(0).orElseThrow();
    assertThat(copy.data()).isEqualTo("data");
    assertThat(copy.key()).isEqualTo("key");
    assertThat(copy.headers().get("trace")).containsExactly(7);
    assertThat(text(copy, DeadLetters.QUEUE)).isEqualTo("orders");
    assertThat(text(copy, DeadLetters.SUBSCRIBER)).isEqualTo("acking");
    assertThat(text(copy, DeadLetters.SEQUENCE)).isEqualTo("0");
    assertThat(text(copy, DeadLetters.REASON)).isEqualTo("expired");
    assertThat(expired.stats().nextSequence()).isEqualTo(1);
    queue.force();
  }

  @Test
  void shouldForceWhatItHandedOnBeforeAnAcknowledgementThatWaits() throws InterruptedException {
    Duration never = Duration.ofHours(1); // no force but the acknowledgement's
    started(builder("expired").syncInterval(never));
    queue = started(builder("orders").maxAge(MINUTE, "expired").syncInterval(never));
    Subscriber<String> acking =
        queue.subscriber(
            SubscriberConfig.builder("acking").ack(true).ackDurability(Durability.DISK).build());
    publish(1);
    acking.next().ack(); // a run's first acknowledgement has the flusher make the next file,
    queue.force(); // after a force of everything: that has happened when this returns
    publish(1);
    queue.force();
    time.advance(MINUTE);
    publish(1);
    Delivery<String> delivery = acking.next();
    assertThat(delivery.data()).isEqualTo("m2");
    assertThat(forcedOf("expired")).isZero();
    delivery.ack();
    assertThat(forcedOf("expired")).isEqualTo(1);
  }

  private long forcedOf(String name) {
    AtomicLong forced = new AtomicLong();
    assertThat(
            OpenQueues.use(
                directory.resolve(name),
                to -> {
                  forced.set(to.log().forcedEnd());
                  return true;
                }))
        .isTrue();
    return forced.get();
  }

  @Test
  void shouldHandOnToTheQueueThatTheSubscriberNames() throws InterruptedException {
    MessageQueue<String> expired = started(builder("expired"));
    MessageQueue<String> own = started(builder("own"));
    queue = started(builder("orders").maxAge(MINUTE, "expired"));
    Subscriber<String> named =
        queue.subscriber(SubscriberConfig.builder("named").expiryQueue("own").build());
    Subscriber<String> other = queue.subscriber("other");
    publish(1);
    queue.force();
    time.advance(MINUTE);
    assertThat(all(named)).isEmpty();
    assertThat(all(other)).isEmpty();
    assertThat(text(own.read(0).orElseThrow(), DeadLetters.SUBSCRIBER)).isEqualTo("named");
    assertThat(text(expired.read(0).orElseThrow(), DeadLetters.SUBSCRIBER)).isEqualTo("other");
    named.close();
    assertThat(queue.subscriber("named").config().expiryQueue()).isEqualTo("own");
    SubscriberConfig itself = SubscriberConfig.builder("loop").expiryQueue("orders").build();
    assertThatThrownBy(() -> queue.subscriber(itself)).isInstanceOf(ConfigurationException.class);
  }

  @Test
  void shouldNotOpenAQueueIntoWhichWhatExpiresComesBack() {
    started(builder("a").maxAge(MINUTE, "b"));
    started(builder("b").maxAge(MINUTE, "c"));
    SubscriberConfig loop = SubscriberConfig.builder("loop").expiryQueue("b").build();

    assertThatThrownBy(() -> builder("c").maxAge(MINUTE, "a").open())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("queue c: ")
        .hasMessageContaining("c → a → b → c");
    assertThatThrownBy(() -> builder("c").subscriber(loop).open())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("c → b → c");
    assertThatThrownBy(() -> builder("c").forwardTo("a").open())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("c → a → b → c");
  }

  @Test
  void shouldNotChangeAQueueSoThatWhatExpiresComesBack() {
    MessageQueue<String> first = started(builder("a").maxAge(MINUTE, "b"));
    queue = started(builder("b"));
    SubscriberConfig loop = SubscriberConfig.builder("s").expiryQueue("a").build();

    assertThatThrownBy(
            () -> queue.reconfigure(change -> change.set(QueueOptions.EXPIRY_QUEUE, "a")))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("b → a → b");
    assertThat(queue.settings().find(QueueOptions.EXPIRY_QUEUE)).isNull();
    assertThatThrownBy(() -> queue.subscriber(loop))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("b → a → b");
    assertThat(queue.subscriberNames()).isEmpty();
    queue.subscriber("s");
    assertThatThrownBy(
            () ->
                queue.reconfigure(
                    change -> change.subscriber("s", SubscriberOptions.EXPIRY_QUEUE, "a")))
        .isInstanceOf(ConfigurationException.class);
    assertThatThrownBy(() -> Forwards.of(queue).add(ForwardConfig.to("a").build()))
        .isInstanceOf(ConfigurationException.class);
    first.reconfigure(change -> change.set(QueueOptions.EXPIRY_QUEUE, "other"));
    queue.reconfigure(change -> change.subscriber("s", SubscriberOptions.EXPIRY_QUEUE, "a"));
    assertThatThrownBy(
            () -> first.reconfigure(change -> change.set(QueueOptions.EXPIRY_QUEUE, "b")))
        .as("the other way round, with a subscriber's own expiry queue")
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("a → b → a");
  }

  @Test
  void shouldHandOnOnceWhateverItExpiresFor() throws InterruptedException {
    MessageQueue<String> expired = started(builder("expired"));
    queue = started(builder("orders").maxAge(MINUTE, "expired"));
    List<Subscriber<String>> all =
        List.of(acking("a"), acking("b"), queue.subscriber("c"), queue.subscriber("d"));
    publish(5);
    all.get(1).next().ack(); // so that it expires for the others only
    queue.force();
    time.advance(MINUTE);
    for (Subscriber<String> each : all) {
      assertThat(all(each)).isEmpty();
    }
    assertThat(expired.stats().nextSequence()).isEqualTo(5);
    all.get(2).seek(Position.sequence(0)); // it is handed on already
    assertThat(all(all.get(2))).isEmpty();
    assertThat(expired.stats().nextSequence()).isEqualTo(5);
    assertThat(all.get(1).stats().expired()).isEqualTo(4);
  }

  @Test
  void shouldHandOnOnceAcrossRestartsThoughItsQueueHasForgottenTheBlocks() throws Exception {
    MessageQueue<String> expired =
        started(builder("expired").recycle(SizeBasedRecycle.ofMessages(2)));
    Subscriber<String> reader = expired.subscriber("reader");
    queue = started(builder("orders").maxAge(MINUTE, "expired"));
    Subscriber<String> first = queue.subscriber("first");
    publish(5);
    queue.force();
    time.advance(MINUTE);
    assertThat(all(first)).isEmpty();
    assertThat(all(reader)).hasSize(5);
    expired.publisher().publish("ends the block");
    assertThat(all(reader)).hasSize(1);
    await()
        .until(
            () -> {
              time.advance(Duration.ofMillis(200));
              return expired.stats().firstSequence() >= 4;
            });
    queue.close();
    expired.close();
    MessageQueue<String> again =
        started(builder("expired").recycle(SizeBasedRecycle.ofMessages(2)));
    queue = started(builder("orders").maxAge(MINUTE, "expired"));
    queue.force(); // what was there before counts as forced from now on
    Subscriber<String> late =
        queue.subscriber(SubscriberConfig.builder("late").start(Position.sequence(0)).build());
    assertThat(all(late)).isEmpty();
    assertThat(late.stats().expired()).isEqualTo(5);
    assertThat(again.stats().nextSequence()).isEqualTo(6);
  }

  @Test
  void shouldHandOnOnceThoughTheListOfWhatCameIsMissing() throws Exception {
    MessageQueue<String> expired = started(builder("expired"));
    queue = started(builder("orders").maxAge(MINUTE, "expired"));
    publish(5);
    queue.force();
    time.advance(MINUTE);
    assertThat(all(queue.subscriber("first"))).isEmpty();
    queue.close();
    expired.close();
    Path origins = directory.resolve("expired/origins.json");
    Files.delete(origins);

    MessageQueue<String> again;
    try (CapturedLog log = new CapturedLog("com.wookler.river")) {
      again = started(builder("expired"));
      assertThat(log.warnings()).anyMatch(line -> line.contains("origins.json is missing"));
    }
    queue = started(builder("orders").maxAge(MINUTE, "expired"));
    queue.force(); // what was there before counts as forced from now on
    Subscriber<String> late =
        queue.subscriber(SubscriberConfig.builder("late").start(Position.sequence(0)).build());
    assertThat(all(late)).isEmpty();
    assertThat(late.stats().expired()).isEqualTo(5);
    assertThat(again.stats().nextSequence()).isEqualTo(5);
  }

  @Test
  void shouldTakeNothingForExpiredThatAnApplicationSaysIs() throws InterruptedException {
    MessageQueue<String> expired = started(builder("expired"));
    queue = started(builder("orders").maxAge(MINUTE, "expired"));
    Subscriber<String> audit = queue.subscriber("audit");
    publish(1);
    queue.force();
    time.advance(MINUTE);
    assertThat(all(audit)).isEmpty();
    Delivery<String> copy = expired.read(0).orElseThrow();
    assertThat(copy.headers()).containsKey(ForwardOrigin.EXPIRED);
    expired
        .publisher()
        .publish(
            Message.of("forged")
                .withHeader(ForwardOrigin.EXPIRED, copy.headers().get(ForwardOrigin.EXPIRED)));
    assertThat(expired.read(1).orElseThrow().headers()).isEmpty();
  }

  private static String text(Delivery<String> delivery, String header) {
    return new String(delivery.headers().get(header), StandardCharsets.UTF_8);
  }

  @Test
  void shouldKeepWhatExpiredUntilItsQueueTakesIt() throws InterruptedException {
    queue = started(builder("orders").maxAge(MINUTE, "expired"));
    Subscriber<String> acking = acking("acking");
    publish(3);
    queue.force();
    time.advance(MINUTE);
    publish(1);
    assertThat(all(acking)).isEmpty();
    assertThat(acking.next(Duration.ZERO)).isNull();
    assertThat(acking.stats().lag()).isEqualTo(4);
    assertThat(acking.stats().expired()).isZero();
    MessageQueue<String> expired = started(builder("expired").maxMessages(2));
    await().until(() -> acking.stats().expired() == 2); // it is full then
    await().during(Duration.ofMillis(300)).until(() -> acking.stats().expired() == 2);
    assertThat(all(acking)).isEmpty();
    expired.subscriber("audit").purge();
    await().until(() -> acking.stats().expired() == 3);
    assertThat(all(acking)).containsExactly("m3");
    expired.close();
    queue.close();
  }

  @Test
  void shouldSayEachMinuteThatItsQueueCannotTakeWhatExpiredAndLoseNothing() {
    queue = started(builder("orders").maxAge(MINUTE, "expired").maxMessageBytes(8 << 20));
    Subscriber<String> acking = acking("acking");
    MessageQueue<String> small =
        started(builder("expired").maxMessageBytes(1_000).blockBytes(256 << 10));
    try (CapturedLog said = new CapturedLog("com.wookler.river.forward")) {
      queue.publisher().publish("x".repeat(6 << 20));
      time.advance(MINUTE);
      await().until(() -> said.lines().size() == 1);
      assertThat(said.lines().get(0))
          .contains("Queue orders", "acking", "sequence 0", directory.resolve("expired").toString())
          .contains("over the limit");
      time.advance(MINUTE.minusSeconds(1));
      await().during(Duration.ofMillis(400)).until(() -> said.lines().size() == 1);
      time.advance(Duration.ofSeconds(1));
      await().until(() -> said.lines().size() == 2);
      assertThat(acking.stats().lag()).isEqualTo(1);
    }
    small.close();
    MessageQueue<String> larger = started(builder("expired").maxMessageBytes(8 << 20));
    await().until(() -> acking.stats().expired() == 1);
    assertThat(larger.read(0).orElseThrow().bytes()).hasSize(6 << 20);
    queue.close();
  }

  @Test
  void shouldWakeAConsumerThatWaitsBehindWhatExpired() throws InterruptedException {
    queue = started(builder("orders").maxAge(MINUTE, "expired"));
    Subscriber<String> acking = acking("acking");
    publish(1);
    queue.force();
    time.advance(MINUTE);
    publish(1);
    assertThat(acking.next()).isNull();
    started(builder("expired"));
    assertThat(acking.next(Duration.ofDays(1)).data()).isEqualTo("m1");
  }

  @Test
  void shouldHaveTheLogForcedSoonForWhatExpiresBefore() throws InterruptedException {
    Duration never = Duration.ofHours(1); // no force but the one that is asked for
    started(builder("expired").syncInterval(never));
    queue = started(builder("orders").maxAge(MINUTE, "expired").syncInterval(never));
    Subscriber<String> acking = acking("acking");
    queue.force(); // the new ledger's first file, too, is written behind a force
    publish(1);
    assertThat(forcedOf("orders")).isZero();
    try (CapturedLog said = new CapturedLog("com.wookler.river")) {
      time.advance(MINUTE);
      publish(1);
      assertThat(acking.next(Duration.ofDays(1)).data()).isEqualTo("m1");
      assertThat(forcedOf("orders")).isPositive();
      assertThat(said.lines()).isEmpty();
    }
    assertThat(acking.stats().expired()).isEqualTo(1);
  }

  @Test
  void shouldTellWhenItIsClosedThatItsLedgerIsNotOnTheDevice() throws Exception {
    Duration never = Duration.ofHours(1); // no force but that of closing
    MessageQueue<String> expired = started(builder("expired").syncInterval(never));
    queue = started(builder("orders").maxAge(MINUTE, "expired").syncInterval(never));
    Subscriber<String> acking = acking("acking");
    publish(1);
    acking.next().ack();
    queue.force(); // a new ledger's files are written by the flusher, each behind a force
    queue.force();
    publish(1);
    queue.force();
    time.advance(MINUTE);
    publish(1);
    acking.next().ack();
    Path block = directory.resolve("expired/log/b00000001.cq4");
    Path hidden = Files.move(block, directory.resolve("hidden"));
    assertThatThrownBy(acking::close)
        .isInstanceOf(QueueFailedException.class)
        .hasRootCauseInstanceOf(NoSuchFileException.class);
    acking.close();
    Files.move(hidden, block);
    assertThatThrownBy(expired::close).isInstanceOf(QueueFailedException.class);
    acking = acking("acking"); // closed or not, the expired message may be lost
    assertThat(acking.stats().lag()).isZero();
    assertThatThrownBy(acking::close).isInstanceOf(QueueFailedException.class);
    assertThat(queue.removeSubscriber("acking")).isTrue();
  }

  @Test
  void shouldForceWhatAQueueTookThatIsBeingClosed() throws Exception {
    Duration never = Duration.ofHours(1);
    MessageQueue<String> expired = started(builder("expired").maxMessages(1).syncInterval(never));
    queue = started(builder("orders").maxAge(MINUTE, "expired").syncInterval(never));
    Subscriber<String> acking = acking("acking");
    queue.force(); // the new ledger's first file, too, is written behind a force
    publish(1);
    queue.force();
    time.advance(MINUTE);
    await() // at first the room of that queue is not known
        .until(() -> acking.next() == null && expired.stats().nextSequence() == 1);
    AtomicReference<BlockLog> log = new AtomicReference<>();
    OpenQueues.use(
        directory.resolve("expired"),
        to -> {
          log.set(to.log());
          return true;
        });
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch over = new CountDownLatch(1);
    expired.addListener(new Holding(begun, over));
    assertThatThrownBy(() -> expired.publisher().publish("m"))
        .isInstanceOf(QueueFullException.class);
    assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
    CompletableFuture<Void> closed = Aside.run(expired::close);
    try {
      await().until(() -> OpenQueues.find(directory.resolve("expired")) == null);
      queue.force(); // if the end of that queue has not forced it already
      assertThat(log.get().forcedEnd()).isEqualTo(1);
    } finally {
      over.countDown();
    }
    closed.get(60, TimeUnit.SECONDS);
    queue.force();
  }

  /** Holds the thread on which it is told that the queue is full, and so the queue's end. */
  private record Holding(CountDownLatch begun, CountDownLatch over) implements QueueListener {
    @Override
    public void full(String why) {
      begun.countDown();
      try {
        over.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
