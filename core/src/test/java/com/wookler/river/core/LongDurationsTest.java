package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Backoff;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Settled;
import com.wookler.river.core.subscriber.Settlement;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Durations that do not fit into nanoseconds or milliseconds: for ever, or refused. */
@Timeout(60)
class LongDurationsTest {
  private static final Duration LONGEST = Duration.ofSeconds(Long.MAX_VALUE);
  private static final Duration HALF_A_DAY = Duration.ofHours(12);

  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));

  private MessageQueue.Builder<String> builder() {
    return MessageQueue.builder("orders", MessageConverter.utf8())
        .directory(directory.resolve("data"))
        .timeSource(time);
  }

  private static Subscriber<String> billing(MessageQueue<String> queue) {
    return queue.subscriber(
        SubscriberConfig.builder("billing")
            .ack(true)
            .ackTimeout(Duration.ofSeconds(30))
            .pollTimeout(LONGEST)
            .build());
  }

  @Test
  void shouldGiveBackForGoodWhatIsGivenBackForAnyTime() {
    try (MessageQueue<String> queue = builder().open()) {
      Subscriber<String> billing = billing(queue);
      queue
          .publisher()
          .putAll(List.of(Message.of("first"), Message.of("second")), Durability.MEMORY);

      delivery(billing).nack(LONGEST);
      String receipt = delivery(billing).receipt();
      List<Settled> settled = billing.settle(List.of(receipt), Settlement.nack(LONGEST));

      assertThat(settled).containsExactly(Settled.OK);
      time.advance(Duration.ofDays(36_500));
      assertThat(billing.next()).isNull();
      assertThat(billing.stats().lag()).isEqualTo(2);
    }
  }

  @Test
  void shouldExtendByTwelveHoursWhatIsExtendedByAnyTime() {
    try (MessageQueue<String> queue = builder().open()) {
      Subscriber<String> billing = billing(queue);
      queue
          .publisher()
          .putAll(List.of(Message.of("first"), Message.of("second")), Durability.MEMORY);

      delivery(billing).extend(LONGEST);
      String receipt = delivery(billing).receipt();
      assertThat(billing.settle(List.of(receipt), Settlement.extend(LONGEST)))
          .containsExactly(Settled.OK);

      time.advance(HALF_A_DAY.minusSeconds(2));
      assertThat(billing.next()).isNull();
      time.advance(Duration.ofSeconds(3));
      assertThat(delivery(billing).attempt()).isEqualTo(2);
      assertThat(delivery(billing).attempt()).isEqualTo(2);
    }
  }

  private static Delivery<String> delivery(Subscriber<String> subscriber) {
    Delivery<String> delivery = subscriber.next();
    assertThat(delivery).isNotNull();
    return delivery;
  }

  @Test
  void shouldTakeSettingsThatMeanForEver() throws Exception {
    Path aside = directory.resolve("data/orders.discarded-20200101T000000.000Z");
    Files.createDirectories(aside);
    MessageQueue.Builder<String> settings =
        builder()
            .syncInterval(LONGEST)
            .discardedRetention(LONGEST)
            .recycle(TimeBasedRecycle.every(LONGEST))
            .retention(Retention.ofAge(LONGEST))
            .backup(directory.resolve("backup"), LONGEST)
            .whenFull(FullPolicy.BLOCK, LONGEST)
            .maxMessages(2);
    for (int i = 0; i < 2; i++) { // the subscriber's settings are read from the disk, too
      try (MessageQueue<String> queue = settings.open()) {
        queue.publisher().publish(Message.of("order").expiresAfter(LONGEST));
        Subscriber<String> billing = billing(queue);
        time.advance(Duration.ofDays(36_500));
        List<Delivery<String>> batch = billing.batch();
        assertThat(batch).hasSize(1);
        assertThat(billing.batchAsync(1, LONGEST)).isNotDone();
        billing.ack(batch);
        assertThat(queue.stats().blocks()).isEqualTo(1);
      }
    }
    assertThat(aside).exists();
    assertThat(TimeBasedRecycle.every(LONGEST))
        .hasToString("TimeBasedRecycle[" + Duration.ofNanos(Long.MAX_VALUE) + "]");
  }

  @Test
  void shouldRefuseOthersByName() {
    assertThatThrownBy(() -> builder().deduplicate(LONGEST).open())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("queue.deduplicate");
    assertThatThrownBy(() -> builder().maxAge(LONGEST, null).open())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("queue.max.age");
    assertThatThrownBy(() -> SubscriberConfig.builder("billing").ackTimeout(LONGEST).build())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("subscriber.ack.timeout")
        .hasMessageContaining("12 hours");
    assertThatThrownBy(() -> Backoff.fixed(LONGEST)).isInstanceOf(ConfigurationException.class);
    assertThatThrownBy(() -> Message.of("order").deliverAfter(LONGEST))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
