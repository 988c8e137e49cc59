package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.MessageTooLargeException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages from a time when larger ones were allowed. */
@Timeout(120)
class LargeLettersTest {
  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));

  private MessageQueue<byte[]> open(int maxMessageBytes) {
    return MessageQueue.builder("orders", MessageConverter.bytes())
        .directory(directory)
        .maxMessageBytes(maxMessageBytes)
        .timeSource(time)
        .open();
  }

  @Test
  void shouldBuryWhatIsLargerThanItMayBeNow() {
    byte[] large = new byte[30 << 20]; // over a quarter of a usual block
    large[large.length - 1] = 7;
    SubscriberConfig billing = SubscriberConfig.builder("billing").ack(true).build();
    try (MessageQueue<byte[]> orders = open(40 << 20)) {
      orders.subscriber(billing);
      orders.publisher().publish(large);
    }
    try (MessageQueue<byte[]> orders = open(1_000)) {
      Subscriber<byte[]> subscriber = orders.subscriber(billing);
      subscriber.next().reject("too large for us");
      await().until(() -> subscriber.stats().lag() == 0);
      Delivery<byte[]> letter = subscriber.deadLetters().peek(1).get(0);
      assertThat(letter.data()).isEqualTo(large);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldDeliverADelayedMessageThatIsLargerThanItMayBeNow(boolean inFiles)
      throws InterruptedException {
    byte[] large = new byte[30 << 20];
    large[large.length - 1] = 7;
    SubscriberConfig billing = SubscriberConfig.builder("billing").ack(true).build();
    try (MessageQueue<byte[]> orders = open(40 << 20)) {
      orders.subscriber(billing);
      Duration minute = Duration.ofMinutes(1);
      orders.publisher().publish(Message.of(large).deliverAfter(minute));
      orders.publisher().publish(Message.of(new byte[] {1}).deliverAfter(minute.plusMillis(1)));
      if (inFiles) {
        await().until(() -> orders.stats().delayed() == 2);
        orders.force();
      }
    }
    time.advance(Duration.ofMinutes(2));
    try (MessageQueue<byte[]> orders = open(1_000)) {
      Subscriber<byte[]> subscriber = orders.subscriber(billing);
      Duration hour = Duration.ofHours(1);
      Delivery<byte[]> first = Objects.requireNonNull(subscriber.next(hour));
      assertThat(first.data()).isEqualTo(large);
      assertThat(first.sequence()).isZero();
      assertThat(Objects.requireNonNull(subscriber.next(hour)).data()).containsExactly(1);
      assertThatThrownBy(() -> orders.publisher().publish(new byte[1_001]))
          .isInstanceOf(MessageTooLargeException.class);
    }
  }
}
