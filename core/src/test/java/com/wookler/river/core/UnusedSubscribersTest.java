package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.core.subscriber.SubscriberOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** When a subscriber that is not in use is reported, and when it is removed. */
@Timeout(120)
class UnusedSubscribersTest {
  private static final Duration DAY = Duration.ofDays(1);

  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));
  private final List<String> expired = new CopyOnWriteArrayList<>();
  private final List<String> unused = new CopyOnWriteArrayList<>();
  private MessageQueue<String> queue;

  @BeforeEach
  void open() {
    queue =
        MessageQueue.builder("orders", MessageConverter.utf8())
            .directory(directory)
            .blockBytes(256 << 10)
            .maxMessageBytes(64 << 10)
            .unusedBlocks(3)
            .unusedAge(Duration.ofHours(12))
            .syncInterval(Duration.ofMillis(1)) // so often housekeeping looks
            .timeSource(time)
            .open();
    queue.addListener(
        new QueueListener() {
          @Override
          public void subscriberExpired(String subscriber, Duration idle) {
            expired.add(subscriber + " " + idle);
          }

          @Override
          public void subscriberUnused(String subscriber, int blocks, Duration age) {
            unused.add(subscriber + " " + blocks + " " + age);
          }
        });
  }

  @AfterEach
  void close() {
    queue.close();
  }

  private Subscriber<String> subscriber(String name) {
    return queue.subscriber(SubscriberConfig.builder(name).ack(true).expiresAfter(DAY).build());
  }

  /** Moves the clock in steps that housekeeping sees, at each of which the others are in use. */
  private void pass(Duration time, Runnable use) {
    for (Duration left = time; !left.isZero(); left = left.minusHours(6)) {
      use.run();
      seen();
      this.time.advance(Duration.ofHours(6));
    }
    seen();
  }

  /** Waits until housekeeping has looked: it removes a subscriber that is over at once. */
  private void seen() {
    Duration second = Duration.ofSeconds(1);
    queue.subscriber(SubscriberConfig.builder("probe").expiresAfter(second).build());
    int before = expired.size();
    await()
        .pollInterval(Duration.ofMillis(5))
        .until(
            () -> {
              time.advance(second);
              return expired.size() > before && !queue.subscriberNames().contains("probe");
            });
  }

  private List<String> expired() {
    return expired.stream().filter(one -> !one.startsWith("probe")).toList();
  }

  @Test
  void shouldRemoveASubscriberThatIsNotInUse() {
    subscriber("left");
    Subscriber<String> used = subscriber("used");
    queue.publisher().publish("one");
    pass(DAY.plusHours(6), used::next);
    await().untilAsserted(() -> assertThat(expired()).containsExactly("left PT24H"));
    assertThat(queue.subscriberNames()).containsExactly("used");
  }

  @Test
  void shouldRemoveOneThatIsClosedToo() {
    subscriber("left").close();
    pass(DAY.plusHours(6), () -> {});
    await().untilAsserted(() -> assertThat(queue.subscriberNames()).isEmpty());
  }

  @Test
  void shouldRemoveOneThatHasDeadLettersToo() {
    Subscriber<String> left = subscriber("left");
    queue.publisher().publishAll(List.of("one", "two"));
    left.next().reject("no");
    await().until(() -> left.deadLetters().size() == 1);
    pass(DAY.plusHours(6), () -> {});
    await().untilAsserted(() -> assertThat(expired()).containsExactly("left PT24H"));
    assertThat(queue.subscriberNames()).isEmpty();
    assertThat(directory.resolve("orders/subscribers")).isEmptyDirectory();
    assertThat(subscriber("left").next().data()).isEqualTo("one");
    assertThat(subscriber("left").deadLetters().size()).isZero();
  }

  @Test
  void shouldKeepOneWhoseConsumerWaits() throws Exception {
    Subscriber<String> waiting = subscriber("waiting");
    CompletableFuture<?> batch = waiting.batchAsync(1, Duration.ofDays(100));
    pass(DAY.multipliedBy(3), () -> {});
    assertThat(queue.subscriberNames()).containsExactly("waiting");
    assertThat(batch).isNotDone();
  }

  @Test
  void shouldKeepOneThatAcknowledges() {
    Subscriber<String> billing = subscriber("billing");
    List<String> data = List.of("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l");
    queue.publisher().publishAll(data);
    List<Delivery<String>> taken = new ArrayList<>();
    data.forEach(one -> taken.add(billing.next()));
    pass(DAY.multipliedBy(2), () -> billing.ack(List.of(taken.remove(0))));
    assertThat(queue.subscriberNames()).containsExactly("billing");
  }

  @Test
  void shouldKeepOneWhoseConsumerKeepsAMessage() {
    Subscriber<String> billing = subscriber("billing");
    Subscriber<String> exclusive =
        queue.subscriber(
            SubscriberConfig.builder("exclusive")
                .ack(true)
                .exclusive(true)
                .expiresAfter(DAY)
                .build());
    queue.publisher().publish("a");
    Delivery<String> kept = billing.next();
    kept.extend(Duration.ofHours(7));
    pass(DAY.plusHours(6), () -> renew(kept, exclusive.consumer("a")));
    assertThat(queue.subscriberNames()).containsExactly("billing", "exclusive");
    pass(DAY.multipliedBy(2), () -> {}); // then the message has timed out
    assertThat(queue.subscriberNames()).isEmpty();
  }

  private static void renew(Delivery<String> delivery, Subscriber<String> owner) {
    delivery.extend(Duration.ofHours(7));
    assertThat(owner.renewLease()).isTrue();
  }

  @Test
  void shouldNotCountTheTimeWhileTheQueueIsClosed() {
    subscriber("left");
    queue.close();
    time.advance(Duration.ofDays(30));
    open();
    pass(DAY.minusHours(6), () -> {});
    assertThat(queue.subscriberNames()).containsExactly("left");
  }

  @Test
  void shouldExpireWithASettingThatWasChanged() {
    queue.subscriber(SubscriberConfig.builder("left").build());
    pass(DAY.multipliedBy(2), () -> {});
    assertThat(queue.subscriberNames()).containsExactly("left");
    queue.reconfigure(all -> all.subscriber("left", SubscriberOptions.EXPIRES_AFTER, DAY));
    seen();
    await().untilAsserted(() -> assertThat(expired()).containsExactly("left PT24H"));
  }

  @Test
  void shouldWarnOnceOfOneThatHoldsManyBlocks() {
    Subscriber<String> left = queue.subscriber("left");
    String data = "x".repeat(60 << 10);
    for (int i = 0; i < 30; i++) {
      queue.publisher().publish(data);
    }
    seen();
    assertThat(unused).isEmpty(); // it may be polled within the minute
    time.advance(Duration.ofMinutes(2));
    await().untilAsserted(() -> assertThat(unused).hasSize(1));
    seen();
    assertThat(unused).singleElement().asString().startsWith("left ");
    assertThat(queue.stats().unusedSubscribers()).isOne();
    assertThat(left.next()).isNotNull();
    seen();
    assertThat(queue.stats().unusedSubscribers()).isZero();
    time.advance(Duration.ofMinutes(2));
    await().untilAsserted(() -> assertThat(unused).hasSize(2));
  }

  @Test
  void shouldWarnOfOneThatHoldsAnOldBlock() {
    queue.subscriber("left");
    queue.publisher().publish("one");
    pass(Duration.ofHours(6), () -> {});
    assertThat(unused).isEmpty();
    pass(Duration.ofHours(12), () -> {});
    await().untilAsserted(() -> assertThat(unused).singleElement().asString().contains("left 1 "));
  }

  @Test
  void shouldNotWarnOfOneThatHasCompletedAll() {
    queue.publisher().publish("one");
    Subscriber<String> done = queue.subscriber("done");
    assertThat(done.next()).isNotNull();
    pass(DAY.multipliedBy(2), () -> {});
    assertThat(unused).isEmpty();
  }
}
