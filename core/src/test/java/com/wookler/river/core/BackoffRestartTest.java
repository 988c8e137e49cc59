package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Backoff;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
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
  private static final Duration BACKOFF = Duration.ofSeconds(5);

  @TempDir Path base;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));

  @ParameterizedTest
  @CsvSource({"SEQUENCE, false", "SEQUENCE, true", "KEY, false", "KEY, true"})
  void shouldComeAtOnceAndHaveItsAttemptsWhenOpenedAnew(Order order, boolean killed)
      throws IOException {
    Path at = base.resolve("data");
    Path copy = base.resolve("copy"); // every store is in the mapped files
    try (MessageQueue<String> queue = open(at)) {
      Subscriber<String> billing = queue.subscriber(billing(order));
      for (String text : List.of("a0", "a1", "b0")) {
        queue.publisher().publish(Message.of(text).withKey(text.substring(0, 1)));
      }
      Delivery<String> first = billing.next();
      first.nack(Duration.ofHours(1));
      while (first.sequence() < 2) {
        first = billing.next(); // a1 is not handed over before a0 in the order of keys
      }
      first.nack();
      assertThat(billing.next()).isNull();
      assertThat(billing.stats().lag()).isEqualTo(3);
      if (killed) {
        copy(at, copy);
      }
    }
    try (MessageQueue<String> queue = open(killed ? copy : at)) {
      Subscriber<String> billing = queue.subscriber(billing(order));
      shouldBe(billing.next(), "a0", 2);
      if (order == Order.SEQUENCE) {
        shouldBe(billing.next(), "a1", 2); // was out
      }
      Delivery<String> last = billing.next();
      shouldBe(last, "b0", 2);
      assertThat(billing.next()).isNull(); // a0 has its key
      last.nack();
      assertThat(billing.next()).isNull(); // waits in this run
      time.advance(BACKOFF);
      shouldBe(billing.next(), "b0", 3);
    }
  }

  private static void shouldBe(Delivery<String> delivery, String text, int attempt) {
    assertThat(delivery.data()).isEqualTo(text);
    assertThat(delivery.attempt()).isEqualTo(attempt);
  }

  private static SubscriberConfig billing(Order order) {
    return SubscriberConfig.builder("billing")
        .ack(true)
        .order(order)
        .backoff(Backoff.fixed(BACKOFF))
        .build();
  }

  private MessageQueue<String> open(Path at) {
    return MessageQueue.builder("orders", MessageConverter.utf8())
        .directory(at)
        .timeSource(time)
        .open();
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        if (!file.endsWith("LOCK")) {
          Files.copy(file, to.resolve(from.relativize(file).toString()));
        }
      }
    }
  }
}
