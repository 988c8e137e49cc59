package com.wookler.river.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.StaleReceiptException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Settlement;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests of workers to a source, and what becomes of them at its ends. */
@Timeout(120)
class SourceSubscriberTest {
  private static final Duration LONG = Duration.ofMinutes(1);

  private final MemorySource source = new MemorySource();
  private final SourceSubscriber<String> subscriber = new SourceSubscriber<>(source);

  @AfterEach
  void close() {
    subscriber.close();
  }

  private CompletableFuture<List<Delivery<String>>> request() {
    return subscriber.batchAsync(10, LONG);
  }

  private List<Delivery<String>> take() throws Exception {
    return request().get(1, TimeUnit.MINUTES);
  }

  @Test
  void shouldFailARequestForWhichAConsumerWaitsWhenItIsClosed() {
    subscriber.start(1, 10, LONG);
    CompletableFuture<List<Delivery<String>>> request = request();
    await().until(() -> source.takes.get() > 0);
    subscriber.close();
    assertThatThrownBy(() -> request.get(1, TimeUnit.MINUTES))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(QueueClosedException.class);
    assertThatThrownBy(() -> request().get(1, TimeUnit.MINUTES))
        .hasCauseInstanceOf(QueueClosedException.class);
  }

  @Test
  void shouldKeepWhatWasTakenForARequestThatIsCancelled() throws Exception {
    source.lease = LONG;
    CountDownLatch taken = new CountDownLatch(1);
    CountDownLatch cancelled = new CountDownLatch(1);
    source.afterTake.add(
        () -> {
          taken.countDown();
          cancelled.await();
        });
    source.add(1, 1);
    subscriber.start(1, 10, LONG);
    CompletableFuture<List<Delivery<String>>> first = request();
    taken.await();
    assertThat(first.cancel(false)).isTrue();
    cancelled.countDown();

    List<Delivery<String>> batch = take();
    assertThat(batch.get(0).attempt()).isEqualTo(1);
    assertThat(source.settled).isEmpty();
    batch.get(0).ack();
    await().until(() -> Settlement.ack().equals(source.settled.get(1L)));
  }

  @Test
  void shouldGiveBackWhatWasTakenForRequestsThatStayAway() {
    source.lease = Duration.ofMillis(100);
    CountDownLatch taken = new CountDownLatch(1);
    CountDownLatch cancelled = new CountDownLatch(1);
    source.afterTake.add(
        () -> {
          taken.countDown();
          cancelled.await();
        });
    source.add(1, 1);
    subscriber.start(1, 10, LONG);
    CompletableFuture<List<Delivery<String>>> first = request();
    await().until(() -> taken.getCount() == 0);
    first.cancel(false);
    cancelled.countDown();
    await().until(() -> Settlement.release().equals(source.settled.get(1L)));
  }

  @Test
  void shouldSettleTheAnswersThatItHasWhenItIsClosed() throws Exception {
    source.lease = LONG;
    source.add(1, 1);
    source.add(2, 1);
    subscriber.start(1, 10, LONG);
    List<Delivery<String>> batch = take();
    batch.get(0).ack();
    subscriber.close();
    assertThat(source.settled)
        .containsEntry(1L, Settlement.ack())
        .containsEntry(2L, Settlement.release());
    assertThatThrownBy(batch.get(1)::ack).isInstanceOf(StaleReceiptException.class);
    assertThat(source.consumers).hasValue(0);
  }

  @Test
  void shouldSettleTheAnswersThatItHasWhenAConsumerFails() throws Exception {
    CountDownLatch answered = new CountDownLatch(1);
    source.keeping.add(
        () -> {
          answered.await();
          throw new IllegalStateException("the engine is away");
        });
    source.add(1, 1);
    source.add(2, 1);
    subscriber.start(1, 10, LONG);
    List<Delivery<String>> batch = take();
    batch.get(0).ack();
    answered.countDown();
    await().until(() -> source.settled.size() == 2);
    assertThat(source.settled.get(1L)).isEqualTo(Settlement.ack());
    assertThatThrownBy(batch.get(1)::ack).isInstanceOf(StaleReceiptException.class);
    assertThat(source.settled.get(2L)).isEqualTo(Settlement.release());
  }

  @Test
  void shouldWaitForAllThreadsUntilOneDeadline() {
    Duration patience = Duration.ofSeconds(2);
    SourceSubscriber<String> slow = new SourceSubscriber<>(source);
    ConcurrentLinkedQueue<Long> interrupts = new ConcurrentLinkedQueue<>();
    for (int i = 0; i < 4; i++) {
      source.beforeTake.add(
          () -> {
            try {
              new CountDownLatch(1).await();
            } catch (InterruptedException e) {
              interrupts.add(System.nanoTime());
              throw e;
            }
          });
    }
    slow.start(4, 10, LONG);
    for (int i = 0; i < 4; i++) {
      CompletableFuture<?> unused = slow.batchAsync(10, LONG);
    }
    await().until(() -> source.takes.get() == 4);
    assertThat(slow.close(patience)).isFalse();
    assertThat(interrupts).hasSize(4);
    assertThat(Duration.ofNanos(Collections.max(interrupts) - Collections.min(interrupts)))
        .isLessThan(patience);
    assertThat(source.consumers).hasValue(0);
  }

  @Test
  void shouldForgetARequestThatIsCancelled() throws Exception {
    assertThat(request().cancel(false)).isTrue();
    assertThat(subscriber.awaitRequest(Duration.ZERO)).isNull();
    assertThat(subscriber.batch(10, Duration.ZERO)).isEmpty();
    assertThat(subscriber.awaitRequest(Duration.ZERO)).isNull();
  }

  @Test
  void shouldCallAConsumerWhileNothingIsAskedForOrItIsPaused() throws Exception {
    subscriber.start(1, 10, LONG);
    await().until(() -> source.idles.get() > 1);
    subscriber.pause();
    CompletableFuture<List<Delivery<String>>> request = request();
    int before = source.idles.get();
    await().until(() -> source.idles.get() > before + 1);
    assertThat(source.takes).hasValue(0);
    source.add(1, 1);
    subscriber.resume();
    assertThat(request.get(1, TimeUnit.MINUTES)).hasSize(1);
  }

  @Test
  void shouldDeliverWhileThePoolOfFuturesIsFull() throws Exception {
    source.lease = LONG;
    int tasks = ForkJoinPool.getCommonPoolParallelism();
    CountDownLatch busy = new CountDownLatch(tasks);
    CountDownLatch end = new CountDownLatch(1);
    for (int i = 0; i < tasks; i++) {
      var unused =
          ForkJoinPool.commonPool()
              .submit(
                  () -> {
                    busy.countDown();
                    end.await();
                    return null;
                  });
    }
    try {
      busy.await();
      source.add(1, 1);
      subscriber.start(1, 10, LONG);
      List<Delivery<String>> first = subscriber.batch(10, Duration.ofSeconds(20));
      assertThat(first).hasSize(1);
      first.get(0).ack();
      CompletableFuture<List<Delivery<String>>> second =
          subscriber.batchAsync(10, LONG, Runnable::run);
      source.add(2, 1);
      assertThat(second.get(20, TimeUnit.SECONDS)).hasSize(1);
    } finally {
      end.countDown();
    }
  }

  @Test
  void shouldCountALeaseFromWhenABatchWasAskedFor() throws Exception {
    source.lease = Duration.ofSeconds(2);
    AtomicLong taken = new AtomicLong();
    AtomicLong kept = new AtomicLong();
    source.afterTake.add(
        () -> {
          assertThat(new CountDownLatch(1).await(1_200, TimeUnit.MILLISECONDS)).isFalse();
          taken.set(System.nanoTime());
        });
    source.keeping.add(() -> kept.set(System.nanoTime()));
    source.add(1, 1);
    subscriber.start(1, 10, LONG);
    assertThat(take()).hasSize(1);
    await().until(() -> kept.get() != 0);
    assertThat(Duration.ofNanos(kept.get() - taken.get())).isLessThan(Duration.ofMillis(700));
  }

  @Test
  void shouldBoundADelay() throws Exception {
    source.add(1, 1);
    subscriber.start(1, 10, LONG);
    take().get(0).nack(Duration.ofSeconds(Long.MAX_VALUE));
    await().until(() -> source.settled.size() == 1);
    assertThat(source.settled.get(1L))
        .isInstanceOfSatisfying(
            Settlement.Nack.class, nack -> assertThat(nack.delay().toNanos()).isPositive());
  }
}
