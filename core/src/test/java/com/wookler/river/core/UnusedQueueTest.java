package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManagedTask;
import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.SharedTaskManager;
import com.wookler.river.common.file.Directories;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.QueueStatus;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.testing.CapturedLog;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.event.Level;

/** When a queue that is not in use is removed. */
@Timeout(120)
class UnusedQueueTest {
  private static final Duration DAY = Duration.ofDays(1);

  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));
  private final List<Duration> expired = new CopyOnWriteArrayList<>();
  private MessageQueue<String> queue;

  @BeforeEach
  void open() {
    queue = open("orders");
  }

  @AfterEach
  void close() {
    queue.close();
  }

  private MessageQueue<String> open(String name) {
    MessageQueue<String> opened =
        MessageQueue.builder(name, MessageConverter.utf8())
            .directory(directory)
            .blockBytes(256 << 10)
            .maxMessageBytes(64 << 10)
            .expiresAfter(DAY)
            .syncInterval(Duration.ofMillis(1)) // so often housekeeping looks
            .timeSource(time)
            .open();
    opened.addListener(
        new QueueListener() {
          @Override
          public void queueExpired(Duration unused) {
            expired.add(unused);
          }
        });
    return opened;
  }

  /** Moves the clock in steps that housekeeping sees, before each of which the queue is used. */
  private void pass(Duration time, Runnable use) {
    for (Duration left = time; !left.isZero(); left = left.minusHours(6)) {
      use.run();
      seen();
      this.time.advance(Duration.ofHours(6));
    }
    seen();
  }

  /** Waits until housekeeping has looked at the use until now, if the queue is still there. */
  private void seen() {
    time.advance(Duration.ofSeconds(1));
    AtomicInteger steps = new AtomicInteger();
    ManagedTask after =
        new ManagedTask() {
          @Override
          public String name() {
            return "after the queue's";
          }

          @Override
          public Duration interval() {
            return Duration.ofMillis(3); // so that the queue's step comes between two of these
          }

          @Override
          public boolean step() {
            steps.incrementAndGet();
            return false;
          }
        };
    try (SharedTaskManager tasks = SharedTaskManager.acquire(time)) {
      tasks.manager().add(after);
      await().until(() -> steps.get() > 2); // a step may have been under way
      tasks.manager().remove(after);
    }
  }

  private Subscriber<String> billing() {
    return queue.subscriber(
        SubscriberConfig.builder("billing").ack(true).ackTimeout(Duration.ofHours(12)).build());
  }

  private void shouldStay() {
    assertThat(queue.state()).isEqualTo(QueueState.RUNNING);
    assertThat(expired).isEmpty();
  }

  private void shouldGo() {
    await().untilAsserted(() -> assertThat(expired).containsExactly(DAY));
    assertThat(queue.state()).isEqualTo(QueueState.STOPPED);
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void shouldRemoveAQueueThatIsNotInUse() {
    queue.publisher().publish("one");
    billing().next().ack();
    try (CapturedLog log = new CapturedLog(QueueLifecycle.class.getName(), Level.INFO)) {
      pass(DAY.minusHours(6), () -> {});
      shouldStay();
      assertThat(queue.stats().unusedSeconds()).isGreaterThan(Duration.ofHours(17).toSeconds());
      pass(Duration.ofHours(12), () -> {});
      shouldGo();
      assertThat(String.join("", log.lines())).contains("orders", "PT24H", "queue.expires.after");
    }
    assertThatThrownBy(() -> queue.publisher()).isInstanceOf(QueueClosedException.class);
    queue = open("orders");
    assertThat(queue.stats().nextSequence()).isZero();
    assertThat(queue.subscriberNames()).isEmpty();
  }

  @Test
  void shouldRemoveAQueueWithoutSubscribersAndMessages() {
    pass(DAY.plusHours(6), () -> {});
    shouldGo();
  }

  @Test
  void shouldKeepAQueueThatIsUsed() {
    Subscriber<String> billing = billing();
    pass(DAY.multipliedBy(2), billing::next);
    shouldStay();
    pass(
        DAY.multipliedBy(2),
        () -> {
          queue.publisher().publish("one");
          billing.next().ack();
        });
    shouldStay();
    CompletableFuture<List<Delivery<String>>> batch = billing.batchAsync(1, Duration.ofDays(100));
    pass(DAY.multipliedBy(2), () -> {});
    shouldStay();
    assertThat(batch.cancel(true)).isTrue();
    pass(DAY.plusHours(6), () -> {});
    shouldGo();
  }

  @Test
  void shouldKeepAQueueThatHoldsSomething() {
    queue.publisher().publish("without a subscriber");
    pass(DAY.multipliedBy(2), () -> {});
    shouldStay();
    Delivery<String> out = billing().next();
    pass(DAY.multipliedBy(2), () -> {}); // in flight, and then to be delivered again
    shouldStay();
    out.ack();
    queue.publisher().publish(Message.of("later").deliverAfter(Duration.ofDays(9)));
    pass(DAY.multipliedBy(2), () -> {});
    shouldStay();
    pass(DAY.multipliedBy(8), () -> {});
    billing().next().reject("no");
    await().untilAsserted(() -> assertThat(billing().stats().dead()).isOne());
    pass(DAY.multipliedBy(2), () -> {}); // a dead letter
    shouldStay();
    billing().close();
    pass(DAY.multipliedBy(2), () -> {});
    shouldStay();
    billing().deadLetters().purge();
    queue.status(QueueStatus.QUIESCENT);
    pass(DAY.multipliedBy(2), () -> {}); // an operator sees to it
    shouldStay();
    queue.status(QueueStatus.UP);
    pass(DAY.plusHours(6), () -> {});
    shouldGo();
  }

  @Test
  void shouldNotCountTheTimeWhileItIsClosed() {
    queue.close();
    time.advance(Duration.ofDays(30));
    queue = open("orders");
    pass(DAY.minusHours(6), () -> {});
    shouldStay();
  }

  @Test
  void shouldExpireWithASettingThatWasChanged() {
    queue.reconfigure(changes -> changes.set(QueueOptions.EXPIRES_AFTER, Duration.ZERO));
    pass(DAY.multipliedBy(2), () -> {});
    shouldStay();
    queue.reconfigure(changes -> changes.set(QueueOptions.EXPIRES_AFTER, DAY));
    pass(Duration.ofHours(6), () -> {});
    shouldGo();
  }

  @Test
  void shouldLoseNothingThatIsPublishedMeanwhile() throws Exception {
    int kept = 0;
    for (int i = 0; i < 40; i += 2) {
      expired.clear();
      MessageQueue<String> tried = open("tried-" + i);
      seen();
      Publisher<String> publisher = tried.publisher();
      time.advance(DAY);
      CompletableFuture<Boolean> published =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return publisher.publish("one") == 0;
                } catch (QueueClosedException e) {
                  return false;
                }
              },
              CompletableFuture.delayedExecutor(i, java.util.concurrent.TimeUnit.MILLISECONDS));
      if (published.get()) {
        kept++;
        seen();
        assertThat(tried.read(0)).isPresent();
        tried.close();
      } else {
        await().until(() -> tried.state() == QueueState.STOPPED);
        assertThat(directory.resolve("tried-" + i)).doesNotExist();
      }
    }
    assertThat(kept).isLessThanOrEqualTo(20);
  }

  @Test
  @SuppressWarnings("try") // it only has to be there
  void shouldLeaveNoPartOfItWhenItIsKilled() throws IOException {
    queue.publisher().publish("one");
    billing().next().ack();
    Path own = directory.resolve("orders");
    try (Undeletable stays = Undeletable.in(own.resolve("subscribers/billing"), directory)) {
      pass(DAY.plusHours(6), () -> {});
      await().until(() -> queue.state() == QueueState.STOPPED);
      await().untilAsserted(() -> assertThat(own).doesNotExist());
      Path renamed =
          Directories.list(directory, name -> name.startsWith("orders.discarded-")).get(0);
      stays.movedTo(renamed.resolve("subscribers/billing"));
      queue = open("orders");
      assertThat(queue.stats().nextSequence()).isZero();
      queue.close();
    }
  }
}
