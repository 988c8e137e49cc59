package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Action;
import com.wookler.river.core.subscriber.DeadLetters;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Settlement;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A delivery's id, and why the one before it failed. */
@Timeout(120)
class DeliveryDetailsTest {
  private static final Duration SOON = Duration.ofSeconds(60);

  @TempDir Path directory;
  private MessageQueue<String> queue;
  private Subscriber<String> subscriber;

  @BeforeEach
  void open() {
    queue = MessageQueue.builder("orders", MessageConverter.utf8()).directory(directory).open();
    subscriber =
        queue.subscriber(SubscriberConfig.builder("billing").ack(true).maxDeliveries(4).build());
  }

  @AfterEach
  void close() {
    queue.close();
  }

  private Delivery<String> next() throws InterruptedException {
    return Objects.requireNonNull(subscriber.next(SOON));
  }

  @Test
  void shouldGiveTheIdAlsoWithoutDeduplication() throws Exception {
    queue.publisher().publish("a");
    queue.publisher().publish(Message.of("b").withId("id-b"));
    assertThat(next().id()).isNull();
    assertThat(next().id()).isEqualTo("id-b");
    assertThat(queue.read(1).orElseThrow().id()).isEqualTo("id-b");
    List<String> shown = new ArrayList<>();
    queue
        .subscriber("views")
        .consume(
            2,
            SOON,
            view -> {
              shown.add(view.id() + " " + view.previousFailure());
              return Action.ACK;
            });
    assertThat(shown).containsExactly("null null", "id-b null");
  }

  @Test
  void shouldGiveTheIdOfADelayedMessageAndNotTakeItsCopyForAnother() throws Exception {
    ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));
    try (MessageQueue<String> delayed = delayed(time)) {
      delayed
          .publisher()
          .publish(Message.of("a").withId("id-a").deliverAfter(Duration.ofSeconds(5)));
      Subscriber<String> own = delayed.subscriber("s");
      time.advance(Duration.ofSeconds(6));
      Delivery<String> due = Objects.requireNonNull(own.next(SOON));
      assertThat(due.id()).isEqualTo("id-a");
      assertThat(due.sequence()).isZero();
    }
    try (MessageQueue<String> again = delayed(time)) {
      assertThat(again.publisher().publish(Message.of("a").withId("id-a"))).isZero();
    }
  }

  private MessageQueue<String> delayed(ManualTimeSource time) {
    return MessageQueue.builder("delayed", MessageConverter.utf8())
        .directory(directory)
        .deduplicate(Duration.ofDays(1))
        .timeSource(time)
        .open();
  }

  @Test
  void shouldSayWhyTheMessageFailedBefore() throws Exception {
    queue.publisher().publish("a");
    Delivery<String> first = next();
    assertThat(first.previousFailure()).isNull();
    first.fail(new IllegalStateException("no stock"));
    assertThat(first.previousFailure()).isNull();

    Delivery<String> second = next();
    assertThat(second.previousFailure()).isEqualTo("java.lang.IllegalStateException: no stock");
    second.nack(Duration.ZERO); // gives no reason, so that the last one known stays

    Delivery<String> third = next();
    assertThat(third.previousFailure()).contains("no stock");
    subscriber.settle(List.of(third.receipt()), Settlement.nack(null, "still none"));

    Delivery<String> fourth = next();
    assertThat(fourth.previousFailure()).isEqualTo("still none");
    assertThat(third.previousFailure()).isNotEqualTo("still none");
    fourth.nack(null, "gone");
    assertThat(subscriber.deadLetters().peek(1))
        .extracting(Delivery::headers)
        .satisfiesExactly(
            headers -> assertThat(headers.get(DeadLetters.REASON)).asString().isEqualTo("gone"));
  }

  @Test
  void shouldForgetTheOldestOfManyFailures() throws Exception {
    int messages = 5_000;
    queue.publisher().publishAll(Collections.nCopies(messages, "x"));
    for (Delivery<String> one : subscriber.batch(messages, SOON)) {
      one.nack(null, "f" + one.sequence());
    }
    List<Delivery<String>> again = subscriber.batch(messages, SOON);
    assertThat(again).hasSize(messages);
    assertThat(again.get(0).previousFailure()).isNull();
    assertThat(again.get(messages - 1).previousFailure()).isEqualTo("f" + (messages - 1));
  }
}
