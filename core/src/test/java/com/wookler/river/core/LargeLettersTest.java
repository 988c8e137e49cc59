package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Messages from a time when larger ones were allowed. */
@Timeout(60)
class LargeLettersTest {
  @TempDir Path directory;

  private MessageQueue<byte[]> open(int maxMessageBytes) {
    return MessageQueue.builder("orders", MessageConverter.bytes())
        .directory(directory)
        .maxMessageBytes(maxMessageBytes)
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
}
