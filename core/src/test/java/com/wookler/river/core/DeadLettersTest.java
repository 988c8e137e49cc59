package com.wookler.river.core;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.core.message.StaleReceiptException;
import com.wookler.river.core.subscriber.Backoff;
import com.wookler.river.core.subscriber.DeadLetters;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.core.subscriber.SubscriberStats;
import com.wookler.river.testing.Aside;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Messages that are given up: by their holder, by the limit on deliveries, and what is done then.
 */
@Timeout(120)
class DeadLettersTest {
  private static final SubscriberConfig BILLING =
      SubscriberConfig.builder("billing")
          .ack(true)
          .ackTimeout(Duration.ofSeconds(10))
          .maxDeliveries(2)
          .build();

  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));
  private final List<String> heard = new CopyOnWriteArrayList<>();
  private MessageQueue<String> queue;
  private Subscriber<String> billing;

  @BeforeEach
  void open() {
    queue =
        MessageQueue.builder("orders", MessageConverter.utf8())
            .directory(directory)
            .syncInterval(Duration.ofMillis(5))
            .timeSource(time)
            .open();
    queue.addListener(
        new QueueListener() {
          @Override
          public void deadLetter(String subscriber, long sequence, int attempts, String reason) {
            heard.add(subscriber + "/" + sequence + "/" + attempts + "/" + reason);
          }
        });
    billing = queue.subscriber(BILLING);
  }

  @AfterEach
  void close() {
    queue.close();
  }

  private void reopen() {
    queue.close();
    open();
  }

  private void publish(String... messages) {
    queue.publisher().publishAll(Arrays.asList(messages));
  }

  private Path letters() {
    return directory.resolve("orders/subscribers/billing/orders.billing.dead");
  }

  private void shouldSettle(long lag) {
    await() // a letter counts at once, its message is finished a little later
        .until(() -> billing.stats().lag() == lag && billing.stats().holes() <= lag);
  }

  private static String header(Delivery<String> letter, String name) {
    return new String(letter.headers().get(name), UTF_8);
  }

  @Test
  void shouldMakeNothingBeforeTheFirstLetter() {
    publish("a");
    billing.next().ack();
    assertThat(billing.deadLetters().name()).isEqualTo("orders.billing.dead");
    assertThat(billing.deadLetters().size()).isZero();
    assertThat(billing.deadLetters().peek(10)).isEmpty();
    assertThat(billing.deadLetters().redrive(10)).isZero();
    assertThat(billing.deadLetters().purge()).isZero();
    assertThat(letters()).doesNotExist();
  }

  @Test
  void shouldKeepWhatIsRejectedWithItsHistory() {
    queue
        .publisher()
        .publish(Message.of("a").withKey("k").withHeader("trace", "t-1".getBytes(UTF_8)));
    Instant published = queue.read(0).orElseThrow().publishedAt();
    time.advance(Duration.ofSeconds(3));
    billing.next().reject("no such customer");
    shouldSettle(0);
    assertThat(billing.deadLetters().size()).isEqualTo(1);
    Delivery<String> letter = billing.deadLetters().peek(10).get(0);
    assertThat(letter.data()).isEqualTo("a");
    assertThat(letter.key()).isEqualTo("k");
    assertThat(header(letter, "trace")).isEqualTo("t-1");
    assertThat(header(letter, DeadLetters.QUEUE)).isEqualTo("orders");
    assertThat(header(letter, DeadLetters.SUBSCRIBER)).isEqualTo("billing");
    assertThat(header(letter, DeadLetters.SEQUENCE)).isEqualTo("0");
    assertThat(header(letter, DeadLetters.ATTEMPTS)).isEqualTo("1");
    assertThat(header(letter, DeadLetters.REASON)).isEqualTo("no such customer");
    assertThat(Instant.parse(header(letter, DeadLetters.PUBLISHED))).isEqualTo(published);
    assertThat(letter.headers()).doesNotContainKey(DeadLetters.EXCEPTION);
    await().untilAsserted(() -> assertThat(heard).containsExactly("billing/0/1/no such customer"));
  }

  @Test
  void shouldRejectOnceHoweverOftenItIsSaid() {
    publish("a", "b");
    Delivery<String> delivery = billing.next();
    delivery.reject("broken");
    delivery.reject("broken");
    assertThatThrownBy(delivery::ack).isInstanceOf(StaleReceiptException.class);
    assertThatThrownBy(delivery::release).isInstanceOf(StaleReceiptException.class);
    assertThat(billing.deadLetters().size()).isEqualTo(1);
    Delivery<String> acked = billing.next();
    acked.ack();
    assertThatThrownBy(() -> acked.reject("late")).isInstanceOf(StaleReceiptException.class);
    shouldSettle(0);
    time.advance(Duration.ofMinutes(1));
    assertThat(billing.next()).isNull();
    assertThat(billing.deadLetters().size()).isEqualTo(1);
  }

  @Test
  void shouldTellTheExceptionOfTheLastDelivery() {
    publish("a");
    billing.next().fail(new IllegalStateException("first"));
    billing.next().fail(new IllegalArgumentException("second"));
    shouldSettle(0);
    Delivery<String> letter = billing.deadLetters().peek(1).get(0);
    assertThat(header(letter, DeadLetters.ATTEMPTS)).isEqualTo("2");
    assertThat(header(letter, DeadLetters.EXCEPTION))
        .isEqualTo("java.lang.IllegalArgumentException");
    assertThat(header(letter, DeadLetters.REASON)).contains("second");
  }

  @Test
  void shouldGiveUpAtTheLimitWhateverDelayIsAskedFor() {
    publish("a");
    billing.next().nack(Duration.ZERO);
    Delivery<String> last = billing.next();
    last.nack(Duration.ofHours(1));
    last.nack(Duration.ofHours(1)); // again is harmless
    shouldSettle(0);
    assertThat(header(billing.deadLetters().peek(1).get(0), DeadLetters.REASON)).isEqualTo("nack");
  }

  @Test
  void shouldGiveUpOnAnIdleQueueWhenTheLastDeliveryTimesOut() {
    publish("a");
    billing.next();
    time.advance(Duration.ofSeconds(10));
    Delivery<String> last = billing.next();
    assertThat(last.attempt()).isEqualTo(2);
    time.advance(Duration.ofSeconds(10));
    shouldSettle(0); // nobody polls
    assertThat(billing.deadLetters().size()).isEqualTo(1);
    assertThatThrownBy(last::ack).isInstanceOf(StaleReceiptException.class);
    await().untilAsserted(() -> assertThat(heard).containsExactly("billing/0/2/not acknowledged"));
  }

  @Test
  void shouldWaitBetweenDeliveriesAsTheBackoffSays() {
    Subscriber<String> slow =
        queue.subscriber(
            SubscriberConfig.builder("slow")
                .ack(true)
                .backoff(Backoff.list(Duration.ofSeconds(1), Duration.ofSeconds(5)))
                .build());
    publish("a");
    slow.next().nack();
    assertThat(slow.next()).isNull();
    time.advance(Duration.ofSeconds(1));
    slow.next().fail(new IllegalStateException());
    time.advance(Duration.ofMillis(4_999));
    assertThat(slow.next()).isNull();
    time.advance(Duration.ofMillis(1));
    assertThat(slow.next().attempt()).isEqualTo(3);
    time.advance(Duration.ofSeconds(34));
    assertThat(slow.next()).isNull(); // timed out after 30 s, and waits 5
    time.advance(Duration.ofSeconds(1));
    Delivery<String> fourth = slow.next();
    fourth.nack(Duration.ZERO); // its own delay
    assertThat(slow.next().attempt()).isEqualTo(5);
  }

  @Test
  void shouldGiveUpWhatEveryRunEndedWith() {
    publish("a", "b");
    assertThat(billing.next().attempt()).isEqualTo(1);
    reopen();
    assertThat(billing.next().attempt()).isEqualTo(2);
    reopen();
    assertThat(billing.next().data()).isEqualTo("b");
    shouldSettle(1);
    assertThat(billing.deadLetters().peek(5)).extracting(Delivery::data).containsExactly("a");
  }

  @Test
  void shouldKeepLettersAcrossRestarts() {
    publish("a", "b", "c");
    for (Delivery<String> delivery : take(3)) {
      delivery.reject("no");
    }
    reopen();
    assertThat(billing.next()).isNull();
    assertThat(billing.stats().lag()).isZero();
    assertThat(billing.deadLetters().peek(9))
        .extracting(Delivery::data)
        .containsExactly("a", "b", "c");
    assertThat(billing.deadLetters().peek(2)).hasSize(2);
  }

  private List<Delivery<String>> take(int count) {
    List<Delivery<String>> taken = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      taken.add(billing.next());
    }
    return taken;
  }

  @Test
  void shouldRedriveToThisSubscriberOnlyAndCountAnew() {
    Subscriber<String> audit =
        queue.subscriber(SubscriberConfig.builder("audit").ack(true).build());
    Subscriber<String> once = queue.subscriber("once");
    queue.publisher().publish(Message.of("a").withKey("k").withHeader("h", new byte[] {1}));
    billing.next().nack(Duration.ZERO);
    billing.next().reject("later");
    shouldSettle(0);
    audit.next().ack();
    assertThat(once.next()).isNotNull();
    assertThat(billing.deadLetters().redrive(10)).isEqualTo(1);
    assertThat(billing.deadLetters().size()).isZero();
    Delivery<String> again = billing.next();
    assertThat(again.data()).isEqualTo("a");
    assertThat(again.sequence()).isEqualTo(1);
    assertThat(again.attempt()).isEqualTo(1);
    assertThat(again.key()).isEqualTo("k");
    assertThat(again.headers())
        .containsOnlyKeys("h", DeadLetters.REDRIVEN_TO, DeadLetters.REDRIVEN_FROM);
    assertThat(header(again, DeadLetters.REDRIVEN_FROM)).isEqualTo("0");
    assertThat(audit.next()).isNull();
    assertThat(once.next()).isNull();
    assertThat(audit.stats().lag()).isZero();
    assertThat(once.stats().lag()).isZero();
    again.reject("still");
    shouldSettle(0);
    assertThat(header(billing.deadLetters().peek(1).get(0), DeadLetters.SEQUENCE)).isEqualTo("1");
    assertThat(billing.deadLetters().redrive(10)).isEqualTo(1);
    assertThat(billing.next().data()).isEqualTo("a");
  }

  @Test
  void shouldCountEachEitherAsLagOrAsDead() {
    String[] messages = new String[50];
    Arrays.fill(messages, "a");
    publish(messages);
    int rejected = 0;
    while (billing.stats().dead() < messages.length) {
      if (rejected < messages.length) {
        billing.next().reject("no");
        rejected++;
      }
      for (int i = 0; i < 20; i++) {
        SubscriberStats stats = billing.stats();
        assertThat(stats.lag() + stats.dead()).isEqualTo(messages.length);
        assertThat(stats.dead()).isEqualTo(rejected);
      }
    }
    shouldSettle(0);
  }

  @Test
  void shouldCountALetterAtOnce() {
    publish("a", "b");
    billing.next().reject("no");
    assertThat(billing.stats().dead()).isEqualTo(1);
    billing.next().reject("no");
    assertThat(billing.stats().dead()).isEqualTo(2);
    shouldSettle(0);
    assertThat(billing.stats().dead()).isEqualTo(2);
  }

  @Test
  void shouldRedriveAsManyAsThereIsRoomFor() {
    try (MessageQueue<String> small =
        MessageQueue.builder("small", MessageConverter.utf8())
            .directory(directory)
            .maxMessages(3)
            .whenFull(FullPolicy.REJECT, Duration.ZERO)
            .timeSource(time)
            .open()) {
      Subscriber<String> rejecting = small.subscriber(BILLING);
      for (int i = 0; i < 5; i++) {
        long sequence = small.publisher().publish("m" + i);
        rejecting.next().reject("no");
        await().until(() -> rejecting.isFinished(sequence));
      }
      DeadLetters<String> letters = rejecting.deadLetters();
      assertThat(letters.redrive(10)).isEqualTo(3);
      assertThat(letters.size()).isEqualTo(2);
      assertThatThrownBy(() -> letters.redrive(10)).isInstanceOf(QueueFullException.class);
      rejecting.next().ack();
      assertThat(letters.redrive(10)).isEqualTo(1);
      assertThat(rejecting.next().data()).isEqualTo("m1");
    }
  }

  @Test
  void shouldRedriveInOrderThoughThereWasNoRoom() throws Exception {
    try (MessageQueue<String> small =
        MessageQueue.builder("small", MessageConverter.utf8())
            .directory(directory)
            .maxMessages(3)
            .whenFull(FullPolicy.REJECT, Duration.ZERO)
            .timeSource(time)
            .open()) {
      Subscriber<String> rejecting = small.subscriber(BILLING);
      for (int i = 0; i < 5; i++) {
        long sequence = small.publisher().publish("m" + i);
        rejecting.next().reject("no");
        await().until(() -> rejecting.isFinished(sequence));
      }
      DeadLetters<String> letters = rejecting.deadLetters();
      assertThat(letters.redrive(10)).isEqualTo(3);
      rejecting.next().ack();
      assertThat(letters.redrive(10)).isEqualTo(1);
      assertThat(rejecting.batch(9, Duration.ZERO))
          .extracting(Delivery::data)
          .containsExactly("m1", "m2", "m3");
    }
  }

  @Test
  void shouldRedriveInPartsAndAtAPace() {
    String[] many = new String[200];
    Arrays.setAll(many, i -> "m" + i);
    publish(many);
    take(200).forEach(delivery -> delivery.reject("no"));
    shouldSettle(0);
    assertThat(billing.deadLetters().redrive(70)).isEqualTo(70);
    assertThat(billing.deadLetters().size()).isEqualTo(130);
    reopen();
    assertThat(billing.deadLetters().size()).isEqualTo(130);
    Thread.currentThread().interrupt();
    assertThat(billing.deadLetters().redrive(70)).isZero();
    assertThat(Thread.interrupted()).isTrue();
    Thread mover = new Thread(() -> billing.deadLetters().redrive(100, 100));
    mover.start();
    await().until(() -> billing.deadLetters().size() == 120);
    assertThat(billing.deadLetters().size()).isEqualTo(120); // ten at once, a tenth of a second
    time.advance(Duration.ofMillis(100));
    await().until(() -> billing.deadLetters().size() == 110);
    time.advance(Duration.ofSeconds(1));
    await().until(() -> billing.deadLetters().size() == 30);
    assertThat(billing.deadLetters().redrive(1_000)).isEqualTo(30);
    List<String> all = new ArrayList<>();
    for (Delivery<String> next = billing.next(); next != null; next = billing.next()) {
      all.add(next.data());
      next.ack();
    }
    assertThat(all).containsExactly(many);
  }

  @Test
  void shouldPurge() {
    publish("a", "b");
    take(2).forEach(delivery -> delivery.reject("no"));
    assertThat(billing.deadLetters().purge()).isEqualTo(2);
    assertThat(billing.deadLetters().size()).isZero();
    shouldSettle(0);
    reopen();
    assertThat(billing.deadLetters().peek(1)).isEmpty();
    assertThat(billing.next()).isNull();
  }

  @Test
  void shouldGoWithTheirSubscriberAndTheirQueue() {
    publish("a", "b");
    billing.next().reject("no");
    DeadLetters<String> old = billing.deadLetters();
    assertThat(letters()).exists();
    queue.removeSubscriber("billing");
    assertThat(letters()).doesNotExist();
    assertThatThrownBy(old::size).isInstanceOf(QueueClosedException.class);
    billing = queue.subscriber(BILLING);
    assertThat(billing.next().sequence()).isZero();
    assertThat(billing.deadLetters().size()).isZero();
    billing.next().reject("no");
    queue.delete();
    assertThat(directory.resolve("orders")).doesNotExist();
    open();
  }

  @Test
  void shouldDeliverAnewWhatIsReplayed() {
    publish("a");
    billing.next().reject("no");
    shouldSettle(0);
    billing.seek(Position.earliest());
    reopen();
    Delivery<String> again = billing.next();
    assertThat(again.sequence()).isZero();
    again.reject("no");
    shouldSettle(0);
    assertThat(billing.deadLetters().size()).isEqualTo(2);
  }

  @Test
  void shouldDoNothingWithoutAcknowledgement() {
    Subscriber<String> once = queue.subscriber("once");
    publish("a");
    Delivery<String> delivery = once.next();
    delivery.reject("no");
    delivery.fail(new IllegalStateException());
    delivery.nack();
    assertThat(once.deadLetters().size()).isZero();
  }

  @Tag("full")
  @Test
  void shouldHaveEveryLetterOnceAfterAKillAtAnyMoment() throws Exception {
    publish("a", "b", "c", "d");
    List<Delivery<String>> taken = take(4);
    taken.get(0).ack();
    taken.get(1).reject("one");
    shouldSettle(2);
    taken.get(2).reject("two");
    Path copy = directory.resolve("copy"); // what a kill leaves: every store is in the mapped files
    copy(directory.resolve("orders"), copy.resolve("orders"));
    try (MessageQueue<String> killed =
        MessageQueue.builder("orders", MessageConverter.utf8()).directory(copy).open()) {
      Subscriber<String> again = killed.subscriber(BILLING);
      assertThat(again.deadLetters().peek(9)).extracting(Delivery::data).containsExactly("b", "c");
      assertThat(again.next().data()).isEqualTo("d");
      assertThat(again.next()).isNull();
      assertThat(again.stats().lag()).isEqualTo(1);
    }
  }

  @Tag("full")
  @Test
  void shouldOpenAfterAKillThoughTheBlocksOfItsLettersAreGone() throws Exception {
    publish("a");
    billing.next().reject("no");
    shouldSettle(0);
    Path copy = directory.resolve("copy");
    copy(directory.resolve("orders"), copy.resolve("orders"));
    // as if the position of what is settled had not moved before the kill
    Path settled = Path.of("subscribers/billing/orders.billing.dead/subscribers/settled/cursor");
    Files.delete(copy.resolve("orders").resolve(settled));
    try (MessageQueue<String> killed =
        MessageQueue.builder("orders", MessageConverter.utf8())
            .directory(copy)
            .syncInterval(Duration.ofMillis(5))
            .recycle(SizeBasedRecycle.ofMessages(2))
            .open()) {
      killed.publisher().publishAll(List.of("b", "c", "d", "e"));
      killed.publisher().publish("f");
      Subscriber<String> again = killed.subscriber(BILLING);
      assertThat(again.next().data()).isEqualTo("b");
      assertThat(again.deadLetters().size()).isEqualTo(1);
    }
  }

  @Test
  void shouldGoOnAtTheInFlightLimitWhenOneIsRejected() throws Exception {
    Subscriber<String> narrow =
        queue.subscriber(SubscriberConfig.builder("narrow").ack(true).maxInFlight(1).build());
    publish("a", "b");
    Delivery<String> first = narrow.next();
    var second = narrow.batchAsync(1, Duration.ofMinutes(10));
    assertThat(second).isNotDone();
    first.reject("no");
    assertThat(second.get(60, TimeUnit.SECONDS).get(0).data()).isEqualTo("b");
  }

  private static void copy(Path from, Path to) throws Exception {
    try (var all = Files.walk(from)) {
      for (Path file : all.toList()) {
        Path target = to.resolve(from.relativize(file));
        if (Files.isDirectory(file)) {
          Files.createDirectories(target);
        } else {
          Files.copy(file, target);
        }
      }
    }
  }

  @Test
  void shouldKeepTheMessageWhenItsLetterCannotBeKept() throws Exception {
    publish("a");
    Path inTheWay = Files.createDirectories(letters().resolve("LOCK"));
    Delivery<String> delivery = billing.next();
    assertThatThrownBy(() -> delivery.reject("no")).isInstanceOf(RuntimeException.class);
    assertThat(billing.stats().inFlight()).isEqualTo(1);
    Files.delete(inTheWay);
    delivery.reject("no");
    shouldSettle(0);
    assertThat(billing.deadLetters().size()).isEqualTo(1);
    assertThat(Map.copyOf(billing.deadLetters().peek(1).get(0).headers())).isNotEmpty();
  }

  @Test
  void shouldNotHoldUpItsEndWhileARedriveWaitsForRoom() throws Exception {
    CountDownLatch full = new CountDownLatch(1);
    try (MessageQueue<String> limited =
        MessageQueue.builder("limited", MessageConverter.utf8())
            .directory(directory)
            .maxMessages(2)
            .whenFull(FullPolicy.BLOCK, Duration.ofHours(1))
            .timeSource(time)
            .open()) {
      limited.addListener(
          new QueueListener() {
            @Override
            public void full(String why) {
              full.countDown();
            }
          });
      Subscriber<String> slow = limited.subscriber("slow");
      Subscriber<String> rejecting = limited.subscriber(BILLING);
      limited.publisher().publishAll(List.of("a", "b"));
      rejecting.next().reject("no");
      DeadLetters<String> letters = rejecting.deadLetters();
      await().until(() -> letters.size() == 1);
      CompletableFuture<Integer> redriven = Aside.supply(() -> letters.redrive(5));
      assertThat(full.await(60, TimeUnit.SECONDS)).isTrue();
      Aside.run(rejecting::close).get(60, TimeUnit.SECONDS);
      assertThatThrownBy(() -> redriven.get(60, TimeUnit.SECONDS))
          .hasCauseInstanceOf(QueueClosedException.class);
      DeadLetters<String> kept = limited.subscriber(BILLING).deadLetters();
      assertThat(kept.size()).isEqualTo(1);
      CompletableFuture<Integer> again = Aside.supply(() -> kept.redrive(5));
      slow.purge();
      limited.subscriber(BILLING).purge();
      assertThat(again.get(60, TimeUnit.SECONDS)).isEqualTo(1);
      assertThat(kept.size()).isZero();
    }
  }
}
