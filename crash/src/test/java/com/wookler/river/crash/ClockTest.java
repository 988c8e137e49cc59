package com.wookler.river.crash;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.TimeSource;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.TimeBasedRecycle;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A wall clock that is wrong, by a clock that is moved by hand; {@link SystemClockTest} sets the
 * system's.
 */
@Tag("full")
class ClockTest {
  private static final Instant NOON = Instant.parse("2026-03-29T00:30:00Z"); // DST at 01:00
  private static final int MESSAGES = 1_000;

  @TempDir Path root;

  private MessageQueue<String> open(TimeSource time) {
    return MessageQueue.builder("clock", MessageConverter.utf8())
        .directory(root)
        .recycle(TimeBasedRecycle.every(Duration.ofMinutes(10)))
        .timeSource(time)
        .open();
  }

  private static Subscriber<String> billing(MessageQueue<String> queue) {
    return queue.subscriber(
        SubscriberConfig.builder("billing")
            .ack(true)
            .ackTimeout(Duration.ofMinutes(1))
            .maxInFlight(MESSAGES * 2)
            .build());
  }

  private static List<Delivery<String>> take(Subscriber<String> from) throws InterruptedException {
    return from.batch(MESSAGES, Duration.ZERO);
  }

  /** Jumps of the wall clock while the queue is open. */
  private static final class JumpingSource implements TimeSource {
    private final ManualTimeSource steady = new ManualTimeSource(NOON);
    private volatile Duration jump = Duration.ZERO;

    @Override
    public long nanoTime() {
      return steady.nanoTime();
    }

    @Override
    public Instant wallTime() {
      return steady.wallTime().plus(jump);
    }

    @Override
    public long epochMicros() {
      return steady.epochMicros() + jump.toNanos() / 1_000;
    }

    @Override
    public void park(Object blocker, long nanos) {
      steady.park(blocker, nanos);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT1H", "PT-1H", "PT-490000H"})
  void shouldExpireNothingWhenTheWallClockJumps(Duration jump) throws Exception {
    JumpingSource time = new JumpingSource();
    try (MessageQueue<String> queue = open(time)) {
      Subscriber<String> billing = billing(queue);
      for (int i = 0; i < MESSAGES; i++) {
        queue.publisher().publish("m" + i);
      }
      List<Delivery<String>> held = take(billing);
      time.jump = jump;

      assertThat(take(billing)).as("due again because of the jump").isEmpty();
      queue.publisher().publish("after");
      Delivery<String> after = billing.next();
      assertThat(after.publishedAt()).isAfterOrEqualTo(held.get(0).publishedAt());
      billing.ack(held);
      after.ack();
      assertThat(billing.stats().lag()).isZero();
      assertThat(billing.stats().redelivered()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"2026-03-29T01:30:00Z", "2026-03-28T23:30:00Z", "1970-01-01T00:00:00Z"})
  void shouldGoOnWhereverTheClockStandsAtTheNextStart(Instant next) throws Exception {
    try (MessageQueue<String> queue = open(new ManualTimeSource(NOON))) {
      Subscriber<String> billing = billing(queue);
      for (int i = 0; i < MESSAGES; i++) {
        queue.publisher().publish("m" + i);
      }
      billing.ack(take(billing).subList(0, MESSAGES / 2));
    }
    ManualTimeSource time = new ManualTimeSource(next);
    try (MessageQueue<String> queue = open(time)) {
      Subscriber<String> billing = billing(queue);
      List<Delivery<String>> again = take(billing);
      assertThat(again).hasSize(MESSAGES / 2).allSatisfy(d -> assertThat(d.attempt()).isEqualTo(2));
      queue.publisher().publish("after");
      Delivery<String> after = billing.next();
      assertThat(after.publishedAt()).isAfterOrEqualTo(NOON);
      time.advance(Duration.ofSeconds(59));
      assertThat(take(billing)).as("before the ack timeout").isEmpty();
      billing.ack(again);
      after.ack();
      assertThat(billing.stats().lag()).isZero();
    }
  }

  @Test
  void shouldRecycleAfterItsTimeAlthoughTheClockWentBackAnHour() throws Exception {
    try (MessageQueue<String> queue = open(new ManualTimeSource(NOON))) {
      queue.publisher().publish("before");
    }
    ManualTimeSource time = new ManualTimeSource(NOON.minus(Duration.ofHours(1)));
    try (MessageQueue<String> queue = open(time)) {
      queue.publisher().publish("at once");
      assertThat(queue.stats().blocks()).as("recycled early").isEqualTo(1);
      time.advance(Duration.ofMinutes(11));
      queue.publisher().publish("later");
      queue.publisher().publish("in the next block");
      assertThat(queue.stats().blocks()).as("ten minutes are over").isEqualTo(2);
    }
  }
}
