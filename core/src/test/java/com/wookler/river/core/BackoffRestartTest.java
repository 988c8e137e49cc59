package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Backoff;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.testing.Aside;
import com.wookler.river.testing.KilledCopy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What becomes of a message that waits for a further delivery when its subscriber is opened anew.
 * Messages are "a0" and such: key and number.
 */
@Timeout(120)
class BackoffRestartTest {
  private static final Instant START = Instant.parse("2026-11-20T10:00:00Z");
  private static final Duration BACKOFF = Duration.ofSeconds(5);
  private static final Duration HOUR = Duration.ofHours(1);

  @TempDir Path base;

  private ManualTimeSource time = new ManualTimeSource(START);
  private Path at;
  private MessageQueue<String> queue;
  private Subscriber<String> billing;

  @AfterEach
  void close() {
    queue.close();
  }

  private static SubscriberConfig.Builder billing() {
    return SubscriberConfig.builder("billing").ack(true).backoff(Backoff.fixed(BACKOFF));
  }

  private void open(SubscriberConfig.Builder config, String... texts) {
    at = at == null ? base.resolve("data") : at;
    queue =
        MessageQueue.builder("orders", MessageConverter.utf8())
            .directory(at)
            .backup(base.resolve("backup"), Duration.ofDays(3))
            .recycle(SizeBasedRecycle.ofMessages(10))
            .timeSource(time)
            .open();
    billing = queue.subscriber(config.build());
    for (String text : texts) {
      queue.publisher().publish(Message.of(text).withKey(text.substring(0, 1)));
    }
  }

  private void reopen(SubscriberConfig.Builder config) {
    queue.close();
    open(config);
  }

  /** In another process, whose clock shows this. */
  private void reopen(SubscriberConfig.Builder config, Instant now) {
    queue.close();
    time = new ManualTimeSource(now);
    open(config);
  }

  private void kill(SubscriberConfig.Builder config) throws IOException {
    Path copy = base.resolve("killed");
    await()
        .until(
            () -> {
              if (Files.exists(copy)) {
                DataDirectory.deleteTree(copy);
              }
              return KilledCopy.of(at, copy);
            });
    at = copy;
    reopen(config);
  }

  private Delivery<String> shouldGive(String text, int attempt) {
    Delivery<String> delivery = billing.next();
    assertThat(delivery).as(text).isNotNull();
    assertThat(delivery.data()).isEqualTo(text);
    assertThat(delivery.attempt()).isEqualTo(attempt);
    return delivery;
  }

  private void shouldGiveNothing() {
    assertThat(billing.peek(9)).isEmpty();
    assertThat(billing.next()).isNull();
  }

  @ParameterizedTest
  @CsvSource({"SEQUENCE, false", "SEQUENCE, true", "KEY, false", "KEY, true"})
  void shouldWaitForTheRestOfItsTimeWhenOpenedAnew(Order order, boolean killed) throws IOException {
    open(billing().order(order), "a0", "a1", "b0");
    billing.next().nack(HOUR);
    if (order == Order.SEQUENCE) {
      shouldGive("a1", 1); // by key it waits for a0
    }
    time.advance(Duration.ofSeconds(10));
    shouldGive("b0", 1).nack();
    if (killed) {
      kill(billing().order(order));
    } else {
      reopen(billing().order(order));
    }
    if (order == Order.SEQUENCE) {
      shouldGive("a1", 2).ack(); // was out
    }
    shouldGiveNothing();
    assertThat(billing.stats().lag()).isEqualTo(order == Order.SEQUENCE ? 2 : 3);
    time.advance(BACKOFF.minusMillis(1));
    shouldGiveNothing();
    time.advance(Duration.ofMillis(1));
    shouldGive("b0", 2).ack();
    time.advance(HOUR.minus(BACKOFF).minusSeconds(11));
    shouldGiveNothing();
    time.advance(Duration.ofSeconds(1));
    shouldGive("a0", 2).ack();
    if (order == Order.KEY) {
      shouldGive("a1", 1).ack();
    }
    assertThat(billing.stats().lag()).isZero();
  }

  @Test
  void shouldGrowItsWaitsFromRunToRunUntilItIsGivenUp() {
    SubscriberConfig.Builder config =
        SubscriberConfig.builder("billing")
            .ack(true)
            .maxDeliveries(4)
            .backoff(Backoff.exponential(Duration.ofSeconds(1), HOUR, 3, 0));
    open(config, "a0");
    Duration wait = Duration.ofSeconds(1);
    for (int attempt = 1; attempt < 4; attempt++) {
      shouldGive("a0", attempt).nack();
      reopen(config);
      time.advance(wait.minusMillis(1));
      shouldGiveNothing();
      time.advance(Duration.ofMillis(1));
      wait = wait.multipliedBy(3);
    }
    shouldGive("a0", 4).nack();
    await().until(() -> billing.stats().lag() == 0);
    assertThat(billing.deadLetters().peek(9)).hasSize(1);
  }

  @Test
  void shouldBeGivenUpWhenEveryRunTimesOut() {
    SubscriberConfig.Builder config = billing().maxDeliveries(2).ackTimeout(Duration.ofSeconds(30));
    open(config, "a0");
    shouldGive("a0", 1);
    time.advance(Duration.ofSeconds(30));
    shouldGiveNothing(); // waits for its backoff now
    reopen(config);
    shouldGiveNothing();
    time.advance(BACKOFF);
    shouldGive("a0", 2);
    time.advance(Duration.ofSeconds(30));
    await().until(() -> billing.stats().lag() == 0);
    assertThat(billing.deadLetters().peek(9)).hasSize(1);
  }

  @Test
  void shouldWaitNoLongerThanWasAskedWhenTheClockWasSetBackMeanwhile() {
    open(billing(), "a0");
    shouldGive("a0", 1).nack(HOUR);
    for (int day = 1; day < 3; day++) { // and a day more at the next start
      reopen(billing(), START.minus(Duration.ofDays(day)));
      shouldGiveNothing();
    }
    time.advance(HOUR.minusMillis(1));
    shouldGiveNothing();
    time.advance(Duration.ofMillis(1));
    shouldGive("a0", 2);
  }

  @Test
  void shouldComeAtOnceWhenTheClockWasSetForwardMeanwhile() {
    open(billing(), "a0", "a1");
    shouldGive("a0", 1).nack(HOUR);
    reopen(billing(), START.plus(HOUR));
    shouldGive("a0", 2);
    shouldGive("a1", 1);
  }

  @ParameterizedTest
  @CsvSource({"PT2H, false", "PT2H, true", "-PT2H, false", "-PT2H, true"})
  void shouldWaitAsLongWhenTheClockWasSetBeforeTheWaitBegan(Duration step, boolean killed)
      throws IOException {
    open(billing(), "a0", "a1");
    time.stepWall(step);
    shouldGive("a0", 1).nack(HOUR);
    shouldGive("a1", 1).nack();
    if (killed) {
      kill(billing());
    } else {
      reopen(billing());
    }
    shouldGiveNothing();
    time.advance(BACKOFF);
    shouldGive("a1", 2).ack();
    reopen(billing()); // from what recovery wrote
    time.advance(HOUR.minus(BACKOFF).minusMillis(1));
    shouldGiveNothing();
    time.advance(Duration.ofMillis(1));
    shouldGive("a0", 2);
  }

  @Test
  void shouldWakeAConsumerThatWaitsWhenItsTimeHasCome() {
    open(billing(), "a0");
    shouldGive("a0", 1).nack(HOUR);
    reopen(billing());
    CompletableFuture<Delivery<String>> waiting =
        Aside.supply(
            () -> {
              try {
                return billing.next(HOUR.multipliedBy(2));
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    CompletableFuture<List<Delivery<String>>> batch = billing.batchAsync(1, Duration.ofHours(4));
    assertThat(waiting).isNotDone();
    time.advance(HOUR);
    await().until(() -> waiting.isDone() || batch.isDone());
    Delivery<String> given = waiting.isDone() ? waiting.join() : batch.join().get(0);
    assertThat(given.attempt()).isEqualTo(2);
    given.ack();
    time.advance(HOUR.multipliedBy(4));
    assertThat(waiting).succeedsWithin(Duration.ofSeconds(30));
    assertThat(batch).succeedsWithin(Duration.ofSeconds(30));
  }

  @Test
  void shouldNotWaitBehindASeekAndNotComeBehindAPurge() {
    open(billing(), "a0", "a1");
    shouldGive("a0", 1).nack(HOUR);
    reopen(billing());
    billing.seek(Position.sequence(0));
    reopen(billing());
    shouldGive("a0", 1).nack(HOUR);
    reopen(billing());
    assertThat(billing.purge()).isEqualTo(2);
    reopen(billing());
    time.advance(HOUR);
    shouldGiveNothing();
    assertThat(billing.stats().lag()).isZero();
  }

  @Test
  void shouldExpireWhileItWaits() {
    open(billing());
    queue.publisher().publish(Message.of("a0").expiresAfter(BACKOFF));
    queue.publisher().publish("a1");
    shouldGive("a0", 1).nack(HOUR);
    reopen(billing());
    shouldGive("a1", 1).ack();
    time.advance(HOUR);
    shouldGiveNothing();
    assertThat(billing.stats().expired()).isEqualTo(1);
    assertThat(billing.stats().lag()).isZero();
  }

  @ParameterizedTest
  @CsvSource({"SEQUENCE", "KEY"})
  void shouldBeReadInTheBackupWhereItWaits(Order order) {
    open(SubscriberConfig.builder("first"), numbered(25));
    for (Delivery<String> next = billing.next(); next != null; next = billing.next()) {
      assertThat(next.attempt()).isEqualTo(1);
    }
    await().until(() -> queue.stats().firstSequence() == 20);
    billing = queue.subscriber(billing().order(order).start(Position.sequence(3)).build());
    shouldGive("d3", 1).nack(HOUR);
    shouldGive("e4", 1).ack();
    reopen(billing().order(order));
    shouldGive("f5", 1).ack();
    time.advance(HOUR);
    shouldGive("d3", 2).ack();
  }

  @Test
  void shouldNotHoldUpTheQueueWhenItIsLostMeanwhile() throws IOException {
    open(billing(), numbered(25));
    List<Delivery<String>> taken = new ArrayList<>();
    for (int i = 0; i < 25; i++) {
      taken.add(billing.next());
    }
    taken.get(0).nack(HOUR);
    taken.get(10).nack(HOUR);
    taken.get(12).nack(HOUR);
    billing.ack(taken.subList(20, 25));
    queue.close();
    Path log = at.resolve("orders/log");
    for (String block : List.of("b00000001", "b00000002")) { // sequences 0 to 19
      Files.delete(log.resolve(block + ".cq4"));
      Files.deleteIfExists(log.resolve(block + ".seal"));
    }
    open(billing());
    time.advance(HOUR);
    shouldGiveNothing();
    assertThat(billing.stats().lag()).isZero();
  }

  private static String[] numbered(int messages) {
    String[] texts = new String[messages];
    for (int i = 0; i < messages; i++) {
      texts[i] = (char) ('a' + i) + "" + i;
    }
    return texts;
  }
}
