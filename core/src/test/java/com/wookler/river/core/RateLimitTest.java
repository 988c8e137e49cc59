package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.TimeSource;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Action;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.core.subscriber.SubscriberOptions;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How many messages and bytes a second a subscriber is given. */
@Timeout(120)
class RateLimitTest {
  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));

  private MessageQueue<byte[]> open(TimeSource source, int messages, int bytes) {
    MessageQueue<byte[]> queue =
        MessageQueue.builder("orders", MessageConverter.bytes())
            .directory(directory)
            .timeSource(source)
            .open();
    if (messages > 0) {
      queue.publisher().publishAll(Collections.nCopies(messages, new byte[bytes]));
    }
    return queue;
  }

  private static SubscriberConfig.Builder limited() {
    return SubscriberConfig.builder("limited").ack(true).ackTimeout(Duration.ofHours(1));
  }

  private static int taken(Subscriber<byte[]> subscriber, int max) {
    try {
      return subscriber.batch(max, Duration.ZERO).size();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void shouldDeliverSoManyMessagesASecond() {
    try (MessageQueue<byte[]> queue = open(time, 1_000, 1)) {
      Subscriber<byte[]> limited = queue.subscriber(limited().maxRate(50).build());
      assertThat(taken(limited, 100)).isEqualTo(5); // a tenth of a second in advance
      assertThat(limited.next()).isNull();
      time.advance(Duration.ofMillis(19));
      assertThat(limited.next()).isNull();
      time.advance(Duration.ofMillis(1));
      assertThat(limited.next()).isNotNull();
      assertThat(limited.next()).isNull();
      time.advance(Duration.ofMillis(500));
      assertThat(taken(limited, 10) + taken(limited, 100)).isEqualTo(25);
      time.advance(Duration.ofHours(1).minusNanos(1)); // no more than a second's worth
      assertThat(taken(limited, 100)).isEqualTo(50);
    }
  }

  @Test
  void shouldDeliverSoManyBytesASecondAndNoPartOfAMessage() throws Exception {
    try (MessageQueue<byte[]> queue = open(time, 100, 400)) {
      Subscriber<byte[]> limited = queue.subscriber(limited().maxBytesRate(1_000).build());
      assertThat(taken(limited, 100)).isOne(); // 100 bytes in advance, and to the message's end
      time.advance(Duration.ofMillis(299));
      assertThat(limited.next()).isNull();
      time.advance(Duration.ofMillis(1));
      assertThat(limited.next()).isNotNull();
      time.advance(Duration.ofSeconds(10));
      int viewed = limited.consume(100, Duration.ZERO, view -> Action.ACK);
      assertThat(viewed).isEqualTo(3);
    }
  }

  @Test
  void shouldCountFurtherDeliveriesAndNotWhatTheFilterRefuses() {
    try (MessageQueue<byte[]> queue = open(time, 0, 0)) {
      for (int i = 0; i < 100; i++) {
        queue.publisher().publish(Message.of(new byte[1]).withKey(i < 97 ? "no" : "yes"));
      }
      SubscriberConfig config =
          limited()
              .maxRate(10)
              .filter((Message<byte[]> message) -> "yes".equals(message.key()))
              .build();
      Subscriber<byte[]> limited = queue.subscriber(config);
      Delivery<byte[]> first = limited.next();
      assertThat(first).isNotNull();
      assertThat(first.sequence()).isEqualTo(97);
      assertThat(limited.next()).isNull();
      first.nack(Duration.ZERO);
      assertThat(limited.next()).isNull();
      time.advance(Duration.ofMillis(100));
      assertThat(limited.next()).isNotNull();
    }
  }

  @Test
  void shouldLimitASubscriberWithoutAcknowledgement() {
    try (MessageQueue<byte[]> queue = open(time, 100, 1)) {
      Subscriber<byte[]> limited =
          queue.subscriber(SubscriberConfig.builder("plain").maxRate(20).build());
      assertThat(taken(limited, 100)).isEqualTo(2);
      time.advance(Duration.ofMillis(100));
      assertThat(taken(limited, 100)).isEqualTo(2);
    }
  }

  @Test
  void shouldChangeWhileTheSubscriberIsOpen() {
    try (MessageQueue<byte[]> queue = open(time, 100, 1)) {
      Subscriber<byte[]> limited = queue.subscriber(limited().maxRate(1).build());
      assertThat(taken(limited, 100)).isOne();
      queue.reconfigure(changes -> changes.subscriber("limited", SubscriberOptions.MAX_RATE, 0L));
      assertThat(taken(limited, 50)).isEqualTo(50);
    }
  }

  @Test
  void shouldWakeThoseThatWaitInTimeAndNotMoreOften() throws Exception {
    try (MessageQueue<byte[]> queue = open(TimeSource.system(), 25, 1)) {
      Subscriber<byte[]> limited = queue.subscriber(limited().maxRate(10).build());
      long started = System.nanoTime();
      long cpu = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
      int got = 0;
      while (got < 12) {
        got += limited.batch(5, Duration.ofMinutes(1)).size();
      }
      assertThat(limited.batchAsync(5, Duration.ofMinutes(1)).get()).isNotEmpty();
      long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - started);
      assertThat(millis).isGreaterThanOrEqualTo(1_150); // the first at once, 12 after 100 ms each
      long used = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - cpu;
      assertThat(TimeUnit.NANOSECONDS.toMillis(used)).isLessThan(millis / 2);
    }
  }

  @Test
  void shouldAnswerFuturesThoughAClockIsMovedByHand() throws Exception {
    try (MessageQueue<byte[]> queue = open(time, 25, 1)) {
      Subscriber<byte[]> limited = queue.subscriber(limited().maxRate(1).build());
      assertThat(taken(limited, 5)).isOne();
      CompletableFuture<List<Delivery<byte[]>>> future =
          limited.batchAsync(5, Duration.ofMinutes(1));
      assertThat(future).isNotDone();
      time.advance(Duration.ofSeconds(1));
      assertThat(future.get()).hasSize(1);
    }
  }

  @Test
  void shouldHoldTheRateOverMinutes() {
    try (MessageQueue<byte[]> queue = open(time, 40_000, 10)) {
      Subscriber<byte[]> limited =
          queue.subscriber(limited().ack(false).maxRate(70).maxBytesRate(10_000).build());
      Random random = new Random(1);
      long taken = 0;
      long millis = 0;
      while (millis < Duration.ofMinutes(8).toMillis()) {
        taken += taken(limited, 1 + random.nextInt(20));
        long step = random.nextInt(40);
        time.advance(Duration.ofMillis(step));
        millis += step;
      }
      assertThat(taken).isBetween(70 * millis / 1_000 - 1, 70 * millis / 1_000 + 8);
    }
  }

  @Test
  void shouldShareTheRateAmongItsConsumers() throws Exception {
    try (MessageQueue<byte[]> queue = open(TimeSource.system(), 150, 1)) {
      Subscriber<byte[]> limited = queue.subscriber(limited().maxRate(100).build());
      long started = System.nanoTime();
      AtomicInteger got = new AtomicInteger();
      List<CompletableFuture<Void>> consumers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        consumers.add(
            CompletableFuture.runAsync(
                () -> {
                  while (got.get() < 150) {
                    got.addAndGet(waitFor(limited, Duration.ofMillis(500)));
                  }
                }));
      }
      CompletableFuture.allOf(consumers.toArray(CompletableFuture[]::new)).get();
      long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - started);
      assertThat(millis).isGreaterThanOrEqualTo(1_390); // ten at once, and 10 ms for each other
    }
  }

  private static int waitFor(Subscriber<byte[]> subscriber, Duration timeout) {
    try {
      Delivery<byte[]> next = subscriber.next(timeout);
      if (next != null) {
        next.ack();
      }
      return next == null ? 0 : 1;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Those that wait do not hear of publishes while the rate is reached: one of them looks again.
   */
  @Test
  void shouldLeaveNoConsumerAsleepWhenTheOneThatTimesLeaves() throws Exception {
    try (MessageQueue<byte[]> queue = open(TimeSource.system(), 1, 1)) {
      Subscriber<byte[]> limited = queue.subscriber(limited().maxRate(2).build());
      CompletableFuture<Integer> first = waiting(limited, Duration.ofMinutes(1));
      assertThat(first.get()).isOne();
      List<CompletableFuture<Integer>> leave = new ArrayList<>();
      CompletableFuture<Integer> stays = waiting(limited, Duration.ofMinutes(1));
      for (int i = 0; i < 3; i++) {
        leave.add(waiting(limited, Duration.ofMillis(20 + 10 * i)));
      }
      assertThat(limited.next()).isNull();
      CompletableFuture.allOf(leave.toArray(CompletableFuture[]::new)).get();
      queue.publisher().publish(new byte[1]);
      assertThat(stays.get(30, TimeUnit.SECONDS)).isOne();
    }
  }

  private static CompletableFuture<Integer> waiting(Subscriber<byte[]> by, Duration timeout) {
    CompletableFuture<Integer> future = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                future.complete(waitFor(by, timeout));
              } catch (RuntimeException e) {
                future.completeExceptionally(e);
              }
            });
    thread.setDaemon(true);
    thread.start();
    return future;
  }
}
