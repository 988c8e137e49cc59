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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LongTimesTest {
  private static final int TESTS = Integer.getInteger("river.test.days.tests", 5);

  @TempDir Path directory;

  @Test
  void shouldPassThirtyDaysInNoTime() {
    for (int i = 0; i < TESTS; i++) {
      try (TestProcess process = new TestProcess(directory)) {
        TestQueue<String> queue =
            process.queue("orders", MessageConverter.utf8(), settings -> settings);
        List<Instant> delivered = new ArrayList<>();
        TestHandler<String> handler =
            queue.handle(
                "billing",
                delivery -> {
                  delivered.add(process.clock().instant());
                  return delivery.attempt() < 3 ? ProcessResult.retry() : ProcessResult.ack();
                },
                to -> to.backoff(Backoff.fixed(Duration.ofHours(1))));
        Instant start = process.clock().instant();
        for (int day = 1; day <= 30; day++) {
          queue.publish(Message.of("day " + day).deliverAfter(Duration.ofDays(day)));
        }

        for (int day = 0; day < 31; day++) {
          process.clock().advance(Duration.ofHours(1));
          handler.runUntilIdle();
          process.clock().advance(Duration.ofHours(1));
          handler.runUntilIdle();
          process.clock().advance(Duration.ofHours(22));
          handler.runUntilIdle();
        }

        assertThat(delivered).hasSize(90);
        assertThat(delivered.get(0)).isEqualTo(start.plus(Duration.ofDays(1)));
        queue.assertCompleted("billing");
      }
    }
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
