package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Action;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.Settled;
import com.wookler.river.core.subscriber.Settlement;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.testing.KilledCopy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Nothing overtakes a message that failed. */
@Timeout(120)
class StrictOrderTest {
  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));

  private MessageQueue<String> open(TimeSource source, int messages) {
    return open(directory, source, messages);
  }

  private static MessageQueue<String> open(Path at, TimeSource source, int messages) {
    MessageQueue<String> queue =
        MessageQueue.builder("orders", MessageConverter.utf8())
            .directory(at)
            .timeSource(source)
            .open();
    IntStream.range(0, messages).forEach(i -> queue.publisher().publish("m" + i));
    return queue;
  }

  private static SubscriberConfig.Builder config() {
    return SubscriberConfig.builder("strict")
        .ack(true)
        .order(Order.STRICT)
        .maxDeliveries(2)
        .ackTimeout(Duration.ofHours(1));
  }

  private static Subscriber<String> strict(MessageQueue<String> queue) {
    return queue.subscriber(config().build());
  }

  private static String data(Delivery<String> delivery) {
    return Objects.requireNonNull(delivery).data();
  }

  @Test
  void shouldDeliverNothingAfterAMessageThatIsUnfinished() throws Exception {
    try (MessageQueue<String> queue = open(time, 3)) {
      Subscriber<String> strict = strict(queue);
      List<Delivery<String>> batch = strict.batch(10, Duration.ZERO);
      assertThat(batch).hasSize(1);
      assertThat(strict.next()).isNull();
      batch.get(0).nack(Duration.ofSeconds(5));
      assertThat(strict.next()).isNull();
      time.advance(Duration.ofSeconds(4));
      assertThat(strict.next()).isNull();
      time.advance(Duration.ofSeconds(1));
      Delivery<String> again = Objects.requireNonNull(strict.next());
      assertThat(again.data()).isEqualTo("m0");
      assertThat(again.attempt()).isEqualTo(2);
      again.ack();
      assertThat(data(strict.next())).isEqualTo("m1");
    }
  }

  @Test
  void shouldContinueOnceTheMessageIsDead() {
    try (MessageQueue<String> queue = open(TimeSource.system(), 3)) {
      Subscriber<String> strict = strict(queue);
      Objects.requireNonNull(strict.next()).reject("no");
      Delivery<String> next = await().until(strict::next, Objects::nonNull);
      assertThat(next.data()).isEqualTo("m1");
      next.nack(Duration.ZERO);
      Objects.requireNonNull(strict.next()).nack(Duration.ZERO);
      assertThat(await().until(strict::next, Objects::nonNull).data()).isEqualTo("m2");
      assertThat(strict.stats().dead()).isEqualTo(2);
    }
  }

  @Test
  void shouldKeepTheOrderWhenItIsOpenedAgain() {
    try (MessageQueue<String> queue = open(time, 3)) {
      Objects.requireNonNull(strict(queue).next()).nack(Duration.ofSeconds(5));
    }
    try (MessageQueue<String> queue = open(time, 0)) {
      Subscriber<String> strict = strict(queue);
      assertThat(strict.next()).isNull();
      time.advance(Duration.ofSeconds(5));
      assertThat(data(strict.next())).isEqualTo("m0");
    }
    try (MessageQueue<String> queue = open(time, 0)) { // in flight then
      Subscriber<String> strict = strict(queue);
      Delivery<String> next = await().until(strict::next, Objects::nonNull);
      assertThat(next.data()).isEqualTo("m1"); // its two deliveries are used up
    }
  }

  @Test
  void shouldWakeTheConsumerThatWaits() throws Exception {
    try (MessageQueue<String> queue = open(TimeSource.system(), 2)) {
      Subscriber<String> strict = strict(queue);
      Delivery<String> first = Objects.requireNonNull(strict.next());
      CompletableFuture<List<Delivery<String>>> waits = strict.batchAsync(5, Duration.ofMinutes(1));
      CompletableFuture<Delivery<String>> parked =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return strict.next(Duration.ofMinutes(1));
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              });
      first.ack();
      CompletableFuture<?> any = CompletableFuture.anyOf(waits, parked);
      any.get();
      assertThat(waits.isDone() && parked.isDone()).isFalse();
      List<Delivery<String>> second = waits.isDone() ? waits.get() : List.of(parked.get());
      assertThat(second.get(0).data()).isEqualTo("m1");
      second.get(0).ack();
      queue.publisher().publish("m2");
      CompletableFuture.allOf(waits, parked).get();
    }
  }

  @Test
  void shouldKeepTheOrderOverSeveralConsumersAndViews() throws Exception {
    List<String> seen = Collections.synchronizedList(new ArrayList<>());
    try (MessageQueue<String> queue = open(TimeSource.system(), 400)) {
      Subscriber<String> strict = strict(queue);
      List<CompletableFuture<Void>> consumers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        boolean views = i % 2 == 0;
        consumers.add(
            CompletableFuture.runAsync(
                () -> {
                  while (seen.size() < 400) {
                    consume(strict, views, seen);
                  }
                }));
      }
      CompletableFuture.allOf(consumers.toArray(CompletableFuture[]::new)).get();
    }
    assertThat(seen).isEqualTo(IntStream.range(0, 400).mapToObj(i -> "m" + i).toList());
  }

  /** A kill while one waits for its backoff, and one while it is in flight. */
  @Test
  void shouldKeepTheOrderBeyondAKill(@TempDir Path copies) throws IOException {
    Path waiting = copies.resolve("waiting");
    Path inFlight = copies.resolve("in-flight");
    try (MessageQueue<String> queue = open(time, 3)) {
      Subscriber<String> strict = strict(queue);
      Objects.requireNonNull(strict.next()).ack();
      Objects.requireNonNull(strict.next()).nack(Duration.ofSeconds(5));
      kill(waiting);
      time.advance(Duration.ofSeconds(5));
      assertThat(data(strict.next())).isEqualTo("m1");
      kill(inFlight);
    }
    try (MessageQueue<String> queue =
        open(waiting, new ManualTimeSource(Instant.parse("2026-11-20T10:00:02Z")), 1)) {
      Subscriber<String> strict = strict(queue);
      assertThat(strict.next()).isNull();
      assertThat(strict.stats().lag()).isEqualTo(3);
    }
    try (MessageQueue<String> queue = open(inFlight, time, 0)) {
      Subscriber<String> strict = strict(queue);
      Delivery<String> next = await().until(strict::next, Objects::nonNull);
      assertThat(next.data()).isEqualTo("m2"); // the two deliveries of m1 are used up
      assertThat(strict.stats().dead()).isEqualTo(1);
    }
  }

  private void kill(Path to) {
    await()
        .until(
            () -> {
              if (Files.exists(to)) {
                DataDirectory.deleteTree(to);
              }
              return KilledCopy.of(directory, to);
            });
  }

  @Test
  void shouldDeliverAgainWhatTimedOutBeforeAnythingElse() {
    try (MessageQueue<String> queue = open(time, 3)) {
      Subscriber<String> strict = strict(queue);
      Delivery<String> late = Objects.requireNonNull(strict.next());
      time.advance(Duration.ofHours(1));
      Delivery<String> again = Objects.requireNonNull(strict.next());
      assertThat(again.data()).isEqualTo("m0");
      assertThat(strict.settle(List.of(late.receipt()), Settlement.ack()))
          .containsExactly(Settled.STALE);
      again.release();
      again = Objects.requireNonNull(strict.next());
      assertThat(again.data()).isEqualTo("m0");
      assertThat(again.attempt()).isEqualTo(2);
      assertThat(strict.next()).isNull();
    }
  }

  @Test
  void shouldPassWhatExpiresAndWhatTheFilterRefuses() {
    try (MessageQueue<String> queue = open(time, 3)) {
      queue.publisher().publish(Message.of("short").expiresAfter(Duration.ofSeconds(1)));
      queue.publisher().publish("m4");
      Subscriber<String> strict =
          queue.subscriber(config().filter((Message<String> m) -> !"m1".equals(m.data())).build());
      Objects.requireNonNull(strict.next()).ack();
      Delivery<String> next = Objects.requireNonNull(strict.next());
      assertThat(next.data()).isEqualTo("m2");
      time.advance(Duration.ofSeconds(2));
      assertThat(strict.next()).isNull();
      next.ack();
      assertThat(data(strict.next())).isEqualTo("m4");
    }
  }

  @Test
  void shouldTakeThePlaceOfTheOrderOfSequencesAndNotOfThatOfKeys() {
    try (MessageQueue<String> queue = open(time, 4)) {
      SubscriberConfig bySequence = config().order(Order.SEQUENCE).build();
      List<Delivery<String>> first = new ArrayList<>();
      try (Subscriber<String> subscriber = queue.subscriber(bySequence)) {
        for (int i = 0; i < 3; i++) {
          first.add(Objects.requireNonNull(subscriber.next()));
        }
        first.get(1).ack();
        first.get(0).nack(Duration.ofSeconds(5));
      }
      try (Subscriber<String> strict = strict(queue)) {
        assertThat(strict.next()).isNull();
        time.advance(Duration.ofSeconds(5));
        Objects.requireNonNull(strict.next()).ack();
        assertThat(data(strict.next())).isEqualTo("m2"); // m1 is acknowledged
        assertThat(strict.next()).isNull();
      }
      assertThatThrownBy(() -> queue.subscriber(config().order(Order.KEY).build()))
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("order = STRICT");
    }
  }

  @Test
  void shouldNeedAcknowledgement() {
    assertThatThrownBy(() -> config().maxDeliveries(0).ack(false).build())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("subscriber.order");
  }

  /** Threads that fail and release: each delivery is of the first that is unfinished. */
  @Test
  void shouldOnlyEverDeliverTheFirstThatIsUnfinished() throws Exception {
    int messages = 300;
    AtomicLong completed = new AtomicLong();
    Queue<String> wrong = new ConcurrentLinkedQueue<>();
    try (MessageQueue<String> queue = open(TimeSource.system(), messages)) {
      Subscriber<String> strict = queue.subscriber(config().maxDeliveries(0).build());
      List<CompletableFuture<Void>> consumers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        Random random = new Random(i);
        consumers.add(
            CompletableFuture.runAsync(
                () -> {
                  while (completed.get() < messages) {
                    takeOne(strict, random, completed, wrong);
                  }
                }));
      }
      CompletableFuture.allOf(consumers.toArray(CompletableFuture[]::new)).get();
      assertThat(strict.stats().lag()).isZero();
    }
    assertThat(wrong).isEmpty();
  }

  private static void takeOne(
      Subscriber<String> strict, Random random, AtomicLong completed, Queue<String> wrong) {
    try {
      for (Delivery<String> one : strict.batch(3, Duration.ofMillis(20))) {
        long expected = completed.get();
        if (one.sequence() != expected) {
          wrong.add(one.sequence() + " instead of " + expected);
        }
        switch (random.nextInt(5)) {
          case 0 -> one.nack(Duration.ofMillis(3));
          case 1 -> one.nack(Duration.ZERO);
          case 2 -> one.release();
          default -> {
            completed.set(one.sequence() + 1); // before another thread can take the next
            one.ack();
          }
        }
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void consume(Subscriber<String> strict, boolean views, List<String> seen) {
    try {
      if (views) {
        strict.consume(
            5,
            Duration.ofMillis(20),
            view -> {
              seen.add(view.data(MessageConverter.utf8()));
              return Action.ACK;
            });
        return;
      }
      for (Delivery<String> delivery : strict.batch(5, Duration.ofMillis(20))) {
        seen.add(delivery.data());
        delivery.ack();
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
