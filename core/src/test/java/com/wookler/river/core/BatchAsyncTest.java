package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.testing.Aside;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Waiting for messages without a thread. */
@Timeout(120)
class BatchAsyncTest {
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final SubscriberConfig BILLING =
      SubscriberConfig.builder("billing").ack(true).ackTimeout(Duration.ofSeconds(10)).build();

  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));
  private MessageQueue<String> queue;
  private Subscriber<String> billing;
  private final AtomicInteger foundAfter = new AtomicInteger();

  @BeforeEach
  void open() {
    queue =
        MessageQueue.builder("orders", MessageConverter.utf8())
            .directory(directory)
            .syncInterval(Duration.ofMillis(5))
            .timeSource(time)
            .open();
    billing = queue.subscriber(BILLING);
  }

  @AfterEach
  void close() {
    queue.close();
  }

  private static List<String> data(CompletableFuture<List<Delivery<String>>> future)
      throws Exception {
    return future.get(60, TimeUnit.SECONDS).stream().map(Delivery::data).toList();
  }

  @Test
  void shouldBeThereAtOnceWhenThereIsSomething() throws Exception {
    queue.publisher().publishAll(List.of("a", "b", "c"));
    CompletableFuture<List<Delivery<String>>> future = billing.batchAsync(2, LONG);
    assertThat(future).isDone();
    assertThat(data(future)).containsExactly("a", "b");
    assertThat(billing.batchAsync(5, Duration.ZERO).get()).hasSize(1);
    assertThat(billing.batchAsync(5, Duration.ZERO).get()).isEmpty();
    assertThatThrownBy(() -> billing.batchAsync(0, LONG))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldCompleteOnAnotherThreadThanThePublishers() throws Exception {
    AtomicReference<Thread> completer = new AtomicReference<>();
    CompletableFuture<List<Delivery<String>>> future =
        billing
            .batchAsync(2, LONG)
            .whenComplete((taken, failed) -> completer.set(Thread.currentThread()));
    queue.publisher().publish("a");
    assertThat(data(future)).containsExactly("a");
    assertThat(completer.get()).isNotEqualTo(Thread.currentThread());
    assertThat(completer.get().getName()).doesNotContain("RIVER");
  }

  /** Two threads look for all futures of the JVM. */
  @Test
  void shouldLookForOthersWhileFiltersLookThroughLargeBacklogs() throws Exception {
    int backlog = 20_000;
    for (int i = 0; i < 20; i++) {
      queue.publisher().publishAll(Collections.nCopies(backlog / 20, "unwanted"));
    }
    CountDownLatch begin = new CountDownLatch(1);
    List<AtomicInteger> refused = List.of(new AtomicInteger(), new AtomicInteger());
    List<CompletableFuture<List<Delivery<String>>>> busy = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      AtomicInteger count = refused.get(i);
      SubscriberConfig config =
          SubscriberConfig.builder("busy-" + i)
              .start(Position.earliest())
              .<String>filter(message -> !refuse(begin, count))
              .build();
      busy.add(queue.subscriber(config).batchAsync(100, LONG));
    }
    await().until(() -> refused.stream().allMatch(count -> count.get() == 1)); // they wait there
    Subscriber<String> quick =
        queue.subscriber(
            SubscriberConfig.builder("quick")
                .start(Position.latest())
                .<String>filter(message -> foundAfter.compareAndSet(0, sum(refused)))
                .build());
    queue.publisher().publish("wanted");
    CompletableFuture<List<Delivery<String>>> found = quick.batchAsync(1, LONG);
    begin.countDown();

    assertThat(data(found)).containsExactly("wanted");
    assertThat(foundAfter.get()).isLessThan(backlog);
    await().until(() -> sum(refused) == 2 * (backlog + 1)); // and the others come to the end
    assertThat(busy).noneMatch(CompletableFuture::isDone);
  }

  private static int sum(List<AtomicInteger> counts) {
    return counts.stream().mapToInt(AtomicInteger::get).sum();
  }

  private static boolean refuse(CountDownLatch begin, AtomicInteger count) {
    count.incrementAndGet();
    try {
      return begin.await(60, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean isWanted(Message<String> message, Set<Thread> asked) {
    asked.add(Thread.currentThread());
    return message.data().equals("z");
  }

  /** Who must not be held up, as an event loop, asks for messages of which a filter wants few. */
  @Test
  void shouldNotLookThroughABacklogOnTheThreadThatAsks() throws Exception {
    Set<Thread> filtering = ConcurrentHashMap.newKeySet();
    Subscriber<String> choosy =
        queue.subscriber(
            SubscriberConfig.builder("choosy")
                .<String>filter(message -> isWanted(message, filtering))
                .build());
    queue.publisher().publishAll(List.of("a", "b", "z"));

    assertThat(data(choosy.batchAsync(2, LONG))).containsExactly("z");
    assertThat(filtering).isNotEmpty().doesNotContain(Thread.currentThread());
    filtering.clear();
    queue.publisher().publishAll(List.of("c", "d", "z"));
    assertThat(data(choosy.batchAsync(2, Duration.ZERO))).containsExactly("z");
    queue.publisher().publish("e");
    assertThat(data(choosy.batchAsync(2, Duration.ZERO))).isEmpty();
    assertThat(filtering).isNotEmpty().doesNotContain(Thread.currentThread());
  }

  @Test
  void shouldServeThoseWhoWaitInTheOrderInWhichTheyCame() throws Exception {
    List<CompletableFuture<List<Delivery<String>>>> all = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      all.add(billing.batchAsync(1, LONG));
    }
    for (int i = 0; i < 100; i++) {
      queue.publisher().publish("m" + i);
    }
    for (int i = 0; i < 100; i++) {
      assertThat(data(all.get(i))).containsExactly("m" + i);
    }
  }

  @Test
  void shouldBeEmptyWhenItsTimeIsOver() throws Exception {
    CompletableFuture<List<Delivery<String>>> soon = billing.batchAsync(1, Duration.ofSeconds(5));
    CompletableFuture<List<Delivery<String>>> later = billing.batchAsync(1, Duration.ofSeconds(9));
    time.advance(Duration.ofSeconds(5));
    assertThat(data(soon)).isEmpty();
    assertThat(later).isNotDone();
    time.advance(Duration.ofSeconds(4));
    assertThat(data(later)).isEmpty();
  }

  @Test
  void shouldGetWhatFallsDueWhileItWaits() throws Exception {
    queue.publisher().publish("a");
    billing.next();
    CompletableFuture<List<Delivery<String>>> future = billing.batchAsync(1, LONG);
    time.advance(Duration.ofSeconds(10));
    assertThat(data(future)).containsExactly("a");
  }

  @Test
  void shouldTakeNothingOnceItIsCancelled() throws Exception {
    CompletableFuture<List<Delivery<String>>> gone = billing.batchAsync(1, LONG);
    CompletableFuture<List<Delivery<String>>> done = billing.batchAsync(1, LONG);
    CompletableFuture<List<Delivery<String>>> next = billing.batchAsync(1, LONG);
    assertThat(gone.cancel(false)).isTrue();
    assertThat(gone.cancel(false)).isTrue();
    assertThat(done.complete(List.of())).isTrue();
    queue.publisher().publish("a");
    assertThat(data(next)).containsExactly("a");
    assertThat(next.cancel(false)).isFalse();
    assertThat(gone).isCancelled();
    assertThat(billing.stats().delivered()).isEqualTo(1);
  }

  @Test
  void shouldLoseNothingToCancellationsAtTheSameMoment() throws Exception {
    Subscriber<String> once = queue.subscriber("once");
    Set<String> got = ConcurrentHashMap.newKeySet();
    int messages = 2_000;
    CompletableFuture<Void> publishing =
        Aside.run(
            () -> {
              for (int i = 0; i < messages; i++) {
                queue.publisher().publish("m" + i);
              }
            });
    while (got.size() < messages) {
      CompletableFuture<List<Delivery<String>>> future = once.batchAsync(3, LONG);
      if (!future.cancel(false) && !future.isCancelled()) {
        data(future).forEach(message -> assertThat(got.add(message)).isTrue());
      } else if (publishing.isDone() && once.stats().lag() == 0) {
        break;
      }
    }
    publishing.get();
    assertThat(got).hasSize(messages);
  }

  @Test
  void shouldShareWithConsumersThatAreParked() throws Exception {
    List<CompletableFuture<List<Delivery<String>>>> all = new ArrayList<>();
    Set<String> got = ConcurrentHashMap.newKeySet();
    CompletableFuture<Void> parked =
        Aside.run(
            () -> {
              try {
                for (int i = 0; i < 50; i++) {
                  billing.batch(1, LONG).forEach(one -> got.add(one.data()));
                }
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    for (int i = 0; i < 50; i++) {
      all.add(billing.batchAsync(1, LONG));
    }
    for (int i = 0; i < 100; i++) {
      queue.publisher().publish("m" + i);
    }
    for (CompletableFuture<List<Delivery<String>>> one : all) {
      got.addAll(data(one));
    }
    parked.get(60, TimeUnit.SECONDS);
    assertThat(got).hasSize(100);
  }

  @Test
  void shouldFailWhenTheSubscriberIsClosed() {
    CompletableFuture<List<Delivery<String>>> future = billing.batchAsync(1, LONG);
    billing.close();
    assertThatThrownBy(() -> future.get(60, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(QueueClosedException.class);
    assertThatThrownBy(() -> billing.batchAsync(1, LONG)).isInstanceOf(QueueClosedException.class);
  }

  @Test
  void shouldCompleteOnTheExecutorThatItIsGiven() throws Exception {
    Queue<String> threads = new ConcurrentLinkedQueue<>();
    CompletableFuture<?> here =
        billing
            .batchAsync(1, LONG, Runnable::run)
            .thenAccept(batch -> threads.add(Thread.currentThread().getName()));
    queue.publisher().publish("a");
    here.get(60, TimeUnit.SECONDS);
    CompletableFuture<?> there =
        billing
            .batchAsync(1, LONG, task -> new Thread(task, "given").start())
            .thenAccept(batch -> threads.add(Thread.currentThread().getName()));
    queue.publisher().publish("b");
    there.get(60, TimeUnit.SECONDS);
    assertThat(threads).hasSize(2).last().isEqualTo("given");
    assertThat(threads).first().asString().startsWith("RIVER-async-");
  }

  @Test
  void shouldLoseNothingToAnExecutorThatRefuses() throws Exception {
    CompletableFuture<List<Delivery<String>>> future =
        billing.batchAsync(
            1,
            LONG,
            task -> {
              throw new RejectedExecutionException("full");
            });
    queue.publisher().publish("a");
    assertThat(data(future)).containsExactly("a");
  }

  @Test
  void shouldWaitWhilePaused() throws Exception {
    billing.pause();
    CompletableFuture<List<Delivery<String>>> future = billing.batchAsync(1, LONG);
    queue.publisher().publish("a");
    await().during(Duration.ofMillis(50)).until(() -> !future.isDone());
    billing.resume();
    assertThat(data(future)).containsExactly("a");
  }

  @Test
  void shouldUseThreadsOfItsOwnOnlyWhileSomebodyCanWait() {
    CompletableFuture<List<Delivery<String>>> future = billing.batchAsync(1, LONG);
    assertThat(threads("RIVER-async")).isPositive();
    queue.close();
    assertThat(future).isCompletedExceptionally();
    assertThat(threads("RIVER-async")).isZero();
  }

  private static long threads(String name) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith(name))
        .count();
  }
}
