package com.wookler.river.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What expires on its way to another queue. */
@Timeout(120)
class ForwardExpiryTest {
  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));

  private MessageQueue.Builder<String> builder(String name) {
    return MessageQueue.builder(name, MessageConverter.utf8())
        .directory(directory)
        .syncInterval(Duration.ofMillis(5));
  }

  @Test
  void shouldCountTheAgeOfADelayedMessageFromItsPublish() {
    try (MessageQueue<String> audit = builder("audit").open();
        MessageQueue<String> orders =
            builder("orders")
                .forwardTo("audit")
                .fanoutOnly(true)
                .maxAge(Duration.ofMinutes(1), null)
                .timeSource(time)
                .open()) {
      orders.publisher().publish(Message.of("late").deliverAfter(Duration.ofMinutes(2)));
      await().until(() -> orders.stats().delayed() == 1);
      time.advance(Duration.ofMinutes(2));
      await()
          .until(
              () -> {
                time.advance(Duration.ofMillis(5));
                return orders.stats().nextSequence() == 2
                    && Forwards.of(orders).stats().get(0).lag() == 0;
              });
      assertThat(Forwards.of(orders).stats().get(0).expired()).isEqualTo(1);
      assertThat(audit.stats().nextSequence()).isZero();
    }
  }

  @Test
  void shouldHandOnEachOfABatchOnceThoughThereIsRoomForOneAtATime() {
    try (MessageQueue<String> expired = builder("expired").maxMessages(1).open();
        MessageQueue<String> audit = builder("audit").open();
        MessageQueue<String> orders =
            builder("orders")
                .forwardTo("audit")
                .fanoutOnly(true)
                .maxAge(Duration.ofMinutes(1), "expired")
                .timeSource(time)
                .open()) {
      Subscriber<String> looking =
          expired.subscriber(
              SubscriberConfig.builder("looking").start(Position.earliest()).build());
      orders.publisher().publishAll(List.of("a", "b", "c"));
      time.advance(Duration.ofMinutes(2));
      for (String each : List.of("a", "b", "c")) {
        assertThat(next(looking)).isEqualTo(each);
      }
      await().until(() -> Forwards.of(orders).stats().get(0).lag() == 0);
      assertThat(Forwards.of(orders).stats().get(0).expired()).isEqualTo(3);
      assertThat(expired.stats().nextSequence()).isEqualTo(3);
      assertThat(audit.stats().nextSequence()).isZero();
    }
  }

  @Test
  void shouldPassAnExpiredMessageBeforeMoreThanThereIsRoomFor() {
    try (MessageQueue<String> audit = builder("audit").open()) {
      audit.subscriber("slow"); // counts in the limit when it is opened again
    }
    try (MessageQueue<String> orders =
        builder("orders").forwardTo("audit").timeSource(time).open()) {
      orders.publisher().publish(Message.of("over").expiresAfter(Duration.ofMinutes(1)));
      time.advance(Duration.ofMinutes(2));
      List<String> live = List.of("a", "b", "c", "d", "e", "f");
      live.forEach(orders.publisher()::publish);
      orders.force();
      try (MessageQueue<String> audit = builder("audit").maxMessages(2).open()) {
        Subscriber<String> slow = audit.subscriber("slow");
        for (String each : live) {
          assertThat(next(slow)).isEqualTo(each);
        }
      }
    }
  }

  private String next(Subscriber<String> subscriber) {
    AtomicReference<Delivery<String>> next = new AtomicReference<>();
    await()
        .until(
            () -> {
              time.advance(Duration.ofMillis(5));
              next.set(subscriber.next());
              return next.get() != null;
            });
    return next.get().data();
  }
}
