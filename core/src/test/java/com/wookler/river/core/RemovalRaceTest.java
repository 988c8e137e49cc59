package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.ContinuationTarget;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Messages that are removed just when they are delivered, completed or due. */
@Timeout(120)
class RemovalRaceTest {
  private static final String LARGE = "x".repeat(90_000);

  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));
  private MessageQueue<String> queue;

  @AfterEach
  void close() {
    queue.close();
  }

  private Subscriber<String> open(UnaryOperator<MessageQueue.Builder<String>> more) {
    queue =
        more.apply(
                MessageQueue.builder("orders", MessageConverter.utf8())
                    .directory(directory)
                    .recycle(SizeBasedRecycle.ofMessages(10))
                    .timeSource(time))
            .open();
    return queue.subscriber(SubscriberConfig.builder("a").ack(true).build());
  }

  private static List<String> takeAll(Subscriber<String> subscriber) {
    List<String> taken = new ArrayList<>();
    for (Delivery<String> next = subscriber.next(); next != null; next = subscriber.next()) {
      taken.add(next.data());
      next.ack();
    }
    return taken;
  }

  /** Publishes delayed messages, and has their block leave the log, which has no backup. */
  private void delayOutOfTheLog(Subscriber<String> subscriber, int messages, Duration delay) {
    long before = queue.stats().nextSequence();
    for (int i = 0; i < messages; i++) {
      queue.publisher().publish(Message.of(LARGE).deliverAfter(delay));
    }
    for (int i = 0; i < 10; i++) {
      queue.publisher().publish("m" + i);
    }
    assertThat(takeAll(subscriber)).hasSize(10);
    await()
        .until(
            () -> {
              queue.force();
              return queue.stats().firstSequence() >= before + messages;
            });
  }

  @Test
  void shouldTrimWhatIsEnqueuedAtThatMoment() {
    Subscriber<String> subscriber = open(builder -> builder);
    Duration delay = Duration.ofHours(1);
    for (int round = 0; round < 10; round++) {
      delayOutOfTheLog(subscriber, 30, delay);
      long end = queue.stats().nextSequence() + round; // so that it comes at other moments
      CompletableFuture<Void> due = CompletableFuture.runAsync(() -> time.advance(delay));
      await().until(() -> queue.stats().nextSequence() >= end);
      queue.trim(Trim.toCount(0));
      due.join();
      await().until(() -> queue.stats().delayed() == 0);
      assertThat(takeAll(subscriber)).isEmpty();
    }
    queue.close();
    assertThat(takeAll(open(builder -> builder))).isEmpty();
  }

  @Test
  void shouldCancelACopyOfAMessageThatHasLeftTheLog() {
    Subscriber<String> subscriber = open(builder -> builder);
    delayOutOfTheLog(subscriber, 3, Duration.ofHours(1));
    time.advance(Duration.ofHours(1));
    await().until(() -> queue.stats().delayed() == 0);
    assertThat(queue.tryCancel(1)).isEqualTo(CancelResult.CANCELLED);
    assertThat(queue.tryCancel(1)).isEqualTo(CancelResult.NOT_WAITING);
    assertThat(subscriber.next().sequence()).isZero();
    assertThat(queue.tryCancel(0)).isEqualTo(CancelResult.IN_FLIGHT);
    Delivery<String> last = subscriber.next();
    assertThat(last.sequence()).isEqualTo(2);
    last.ack();
    assertThat(queue.tryCancel(2)).isEqualTo(CancelResult.NOT_WAITING);
    assertThat(subscriber.next()).isNull();
  }

  @Test
  void shouldSayThatAConsumerHasAMessageWhichItContinues() {
    Subscriber<String> subscriber = open(builder -> builder);
    queue.publisher().publish("a");
    Delivery<String> delivery = subscriber.next();
    ContinuationTarget<String> target =
        (origin, oldest, messages) -> {
          assertThat(queue.tryCancel(0)).isEqualTo(CancelResult.IN_FLIGHT);
          return true;
        };
    delivery.ackAndPublish(target, List.of(Message.of("b")));
    assertThat(subscriber.stats().acked()).isOne();
  }

  /** What is said to be cancelled, no consumer acknowledges. */
  @Test
  void shouldNeverSayThatAMessageIsCancelledWhichAConsumerHad() throws Exception {
    Subscriber<String> subscriber = open(builder -> builder);
    int messages = 2_000;
    Set<Long> acked = ConcurrentHashMap.newKeySet();
    Set<Long> cancelled = ConcurrentHashMap.newKeySet();
    Thread consumer =
        new Thread(
            () -> {
              while (queue.stats().nextSequence() < messages || subscriber.stats().lag() > 0) {
                Delivery<String> next = subscriber.next();
                if (next != null) {
                  next.ack();
                  acked.add(next.sequence());
                }
              }
            },
            "consumer");
    consumer.start();
    for (int i = 0; i < messages; i++) {
      long sequence = queue.publisher().publish("m" + i);
      if (queue.tryCancel(sequence) == CancelResult.CANCELLED) {
        cancelled.add(sequence);
      }
    }
    consumer.join();
    assertThat(acked).doesNotContainAnyElementsOf(cancelled);
  }
}
