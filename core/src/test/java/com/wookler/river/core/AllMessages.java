package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;

/** What a subscriber gets of a queue with too many messages for an assertion each. */
final class AllMessages {
  private static final int AT_ONCE = 5_000;

  private AllMessages() {}

  /** Takes and acknowledges this many messages, which begin with sequence 0. */
  static void shouldCome(Subscriber<byte[]> subscriber, int messages, IntFunction<byte[]> published)
      throws InterruptedException {
    int next = 0;
    while (next < messages) {
      List<Delivery<byte[]>> batch = subscriber.batch(AT_ONCE, Duration.ofSeconds(30));
      assertThat(batch).isNotEmpty();
      for (Delivery<byte[]> delivery : batch) {
        if (delivery.sequence() != next || !Arrays.equals(delivery.data(), published.apply(next))) {
          fail("message " + next + " is " + delivery + ": " + Arrays.toString(delivery.data()));
        }
        next++;
      }
      subscriber.ack(batch);
    }
  }
}
