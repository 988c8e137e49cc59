package com.wookler.river.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a reactor runs on fails, or ends in an awkward moment. */
@Timeout(60)
class ReactorFaultTest {
  private static final Duration SOON = Duration.ofSeconds(20);

  @TempDir Path directory;
  private MessageQueue<String> queue;
  private Subscriber<String> subscriber;
  private final List<String> seen = Collections.synchronizedList(new ArrayList<>());

  @BeforeEach
  void open() {
    queue = MessageQueue.builder("faults", MessageConverter.utf8()).directory(directory).open();
    subscriber =
        queue.subscriber(
            SubscriberConfig.builder("store").ack(true).ackTimeout(Duration.ofMinutes(10)).build());
  }

  @AfterEach
  void close() {
    queue.close();
  }

  private ProcessResult<String> see(Delivery<String> delivery) {
    seen.add(delivery.data());
    return ProcessResult.done();
  }

  private void awaitDrained() {
    await().atMost(SOON).until(() -> subscriber.stats().lag() == 0);
  }

  @Test
  void shouldBeClosedByTwoProcessorsAtOnce() {
    queue.publisher().publishAll(List.of("a", "b"));
    AtomicReference<Reactor<String>> own = new AtomicReference<>();
    CountDownLatch started = new CountDownLatch(1);
    CyclicBarrier both = new CyclicBarrier(2);
    List<Boolean> inTime = Collections.synchronizedList(new ArrayList<>());
    own.set(
        Reactor.builder(subscriber)
            .threads(2)
            .batchSize(1)
            .processor(
                d -> {
                  started.await();
                  both.await(20, TimeUnit.SECONDS);
                  inTime.add(own.get().close(Duration.ofMinutes(10))); // not one for the other
                  return see(d);
                })
            .start());
    started.countDown();
    awaitDrained();
    assertThat(seen).containsExactlyInAnyOrder("a", "b");
    assertThat(inTime).containsExactly(true, true);
  }

  @Test
  void shouldWaitForAProcessorThatClosesItToo() throws Exception {
    queue.publisher().publish("a");
    AtomicReference<Reactor<String>> own = new AtomicReference<>();
    CountDownLatch closes = new CountDownLatch(1);
    CountDownLatch free = new CountDownLatch(1);
    own.set(
        Reactor.builder(subscriber)
            .processor(
                d -> {
                  own.get().close();
                  closes.countDown();
                  free.await();
                  return see(d);
                })
            .start());
    closes.await();
    ExecutorService other = Executors.newSingleThreadExecutor();
    try {
      var closed = other.submit(() -> own.get().close(SOON));
      assertThatThrownBy(() -> closed.get(50, TimeUnit.MILLISECONDS))
          .isInstanceOf(java.util.concurrent.TimeoutException.class);
      free.countDown();
      assertThat(closed.get()).isTrue();
      assertThat(seen).containsExactly("a");
      assertThat(subscriber.stats().lag()).isZero();
    } finally {
      other.shutdownNow();
    }
  }

  @Test
  void shouldGoOnWhereNoThreadCouldTakeThePlaceOfOneThatAnErrorEnded() {
    ExecutorService pool = Executors.newCachedThreadPool();
    AtomicInteger tasks = new AtomicInteger();
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .executor(
                task -> {
                  if (tasks.incrementAndGet() == 2) {
                    throw new OutOfMemoryError("made by the test: unable to create a thread");
                  }
                  pool.execute(task);
                })
            .batchSize(1)
            .processor(
                d -> {
                  if (d.data().equals("a") && d.attempt() == 1) {
                    throw new StackOverflowError("made by the test");
                  }
                  return see(d);
                })
            .start()) {
      queue.publisher().publishAll(List.of("a", "b"));
      awaitDrained();
      assertThat(seen).containsExactlyInAnyOrder("a", "b");
      assertThat(reactor.stats().replaced()).isEqualTo(1);
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  void shouldGoOnWhenAnExecutorThatWasFullTakesTasksAgain() {
    ExecutorService pool = Executors.newCachedThreadPool();
    AtomicInteger tasks = new AtomicInteger();
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .executor(
                task -> {
                  if (tasks.incrementAndGet() == 2) {
                    throw new RejectedExecutionException("full for a moment");
                  }
                  pool.execute(task);
                })
            .processor(this::see)
            .start()) {
      await().atMost(SOON).until(() -> reactor.isRunning() && tasks.get() == 1);
      queue.publisher().publish("a");
      awaitDrained();
      queue.publisher().publish("b");
      awaitDrained();
      queue.publisher().publish("c");
      awaitDrained();
      assertThat(seen).containsExactly("a", "b", "c");
      assertThat(tasks.get()).isGreaterThanOrEqualTo(2);
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  void shouldNotGoDeeperWithEachErrorWhereItRunsOnTheThreadThatBringsMessages() {
    int errors = 300;
    AtomicInteger deepest = new AtomicInteger();
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .executor(Runnable::run)
            .batchSize(1)
            .processor(
                d -> {
                  deepest.accumulateAndGet(
                      Thread.currentThread().getStackTrace().length, Math::max);
                  if (d.attempt() <= errors) {
                    throw new StackOverflowError("made by the test");
                  }
                  return see(d);
                })
            .start()) {
      queue.publisher().publish("a");
      awaitDrained();
      assertThat(reactor.stats().replaced()).isEqualTo(errors);
      assertThat(deepest.get()).isLessThan(200);
    }
  }
}
