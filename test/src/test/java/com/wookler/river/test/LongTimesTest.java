package com.wookler.river.test;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Backoff;
import com.wookler.river.reactor.ProcessResult;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LongTimesTest {
  private static final Duration STEP = Duration.ofHours(8);

  @TempDir Path directory;

  /** A delayed message: when it is due, and how many deliveries fail. */
  private record Plan(Duration delay, int failures) {}

  /** One test of a user's suite: a queue, a handler, and thirty days of messages. */
  private void passThirtyDays(long seed) {
    Random random = new Random(seed);
    try (TestProcess process = new TestProcess(directory)) {
      TestQueue<String> queue =
          process.queue("orders", MessageConverter.utf8(), settings -> settings);
      Duration backoff = Duration.ofMinutes(1 + random.nextInt(120));
      Map<String, Plan> plans = new TreeMap<>();
      Map<String, List<Instant>> delivered = new TreeMap<>();
      TestHandler<String> handler =
          queue.handle(
              "billing",
              delivery -> {
                delivered
                    .computeIfAbsent(delivery.data(), each -> new ArrayList<>())
                    .add(process.clock().instant());
                return delivery.attempt() <= plans.get(delivery.data()).failures()
                    ? ProcessResult.retry()
                    : ProcessResult.ack();
              },
              to -> to.backoff(Backoff.fixed(backoff)));
      Instant start = process.clock().instant();
      for (int i = 0; i < 30; i++) {
        Plan plan = new Plan(STEP.multipliedBy(1 + random.nextInt(87)), random.nextInt(3));
        plans.put("order " + i, plan);
        queue.publish(Message.of("order " + i).deliverAfter(plan.delay()));
      }

      for (int step = 0; step < 90; step++) {
        process.clock().advance(STEP);
        handler.runUntilIdle();
      }

      assertThat(process.clock().instant()).isEqualTo(start.plus(Duration.ofDays(30)));
      plans.forEach(
          (order, plan) -> {
            List<Instant> times = delivered.get(order);
            assertThat(times).as(order).hasSize(plan.failures() + 1);
            assertThat(times.get(0)).as(order).isEqualTo(start.plus(plan.delay()));
            for (int i = 1; i < times.size(); i++) {
              assertThat(Duration.between(times.get(i - 1), times.get(i)))
                  .as(order)
                  .isGreaterThanOrEqualTo(backoff);
            }
          });
      queue.assertCompleted("billing");
    }
  }

  @Test
  void shouldPassThirtyDaysInNoTime() {
    passThirtyDays(0);
  }

  /** The time of all is in docs/testing-applications.md. */
  @RepeatedTest(100)
  @Tag("full")
  void shouldPassThirtyDaysInEachOfAHundredTests(RepetitionInfo repetition) {
    passThirtyDays(repetition.getCurrentRepetition());
  }

  @Test
  void shouldDoWhatIsDueOnTheWayInOrderAndAtItsTime() {
    try (TestProcess process = new TestProcess(directory)) {
      TestQueue<String> queue =
          process.queue("orders", MessageConverter.utf8(), settings -> settings);
      TestHandler<String> handler =
          queue.handle(
              "billing",
              delivery -> ProcessResult.later(),
              to -> to.maxDeliveries(1).ackTimeout(Duration.ofMinutes(10)));
      Instant start = process.clock().instant();
      queue.publish("first");
      handler.deliverNext();
      process.clock().advance(Duration.ofMinutes(5));
      queue.publish("second");
      handler.deliverNext();

      process.clock().advance(Duration.ofDays(30));

      assertThat(queue.deadLetters("billing"))
          .extracting(letter -> letter.data() + " " + Duration.between(start, letter.publishedAt()))
          .containsExactly("first PT10M", "second PT15M");
    }
  }

  @Test
  void shouldLeaveNoThread() {
    TestProcess process = new TestProcess(directory);
    process.queue("orders", MessageConverter.utf8(), settings -> settings).publish("m");
    assertThat(process.threadsLeft()).isNotEmpty();

    process.close();

    assertThat(process.threadsLeft()).isEmpty();
    assertThat(directory).isEmptyDirectory();
  }
}
