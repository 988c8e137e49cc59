package com.wookler.river.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.core.message.Message;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.testing.CapturedLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a reactor runs on fails, or ends in an awkward moment. */
@Timeout(120)
class ReactorFaultTest extends ReactorFixture {
  /** By default nothing limits how often it comes. */
  @Test
  void shouldNeitherRunHotNorFillTheLogOverAMessageThatAlwaysFails() {
    List<Long> failures = Collections.synchronizedList(new ArrayList<>());
    try (CapturedLog said = new CapturedLog(FailureLog.class);
        Reactor<String> reactor =
            Reactor.builder(subscriber)
                .threads(4)
                .processor(
                    d -> {
                      failures.add(System.nanoTime());
                      if (d.attempt() % 2 == 0) {
                        return ProcessResult.retry();
                      }
                      throw d.attempt() == 5
                          ? new IllegalArgumentException("of another kind")
                          : new IllegalStateException("made by the test");
                    })
                .start()) {
      queue.publisher().publish("bad");
      await().until(() -> failures.size() >= 9);
      long nanos = failures.get(8) - failures.get(0);
      assertThat(nanos).isGreaterThan(Duration.ofMillis(1 + 2 + 4 + 8 + 16 + 32 + 64).toNanos());
      assertThat(reactor.stats().failed()).isGreaterThanOrEqualTo(4);
      assertThat(said.warnings())
          .satisfiesExactly(
              first -> assertThat(first).endsWith("threw over sequence 0, attempt 1"),
              other -> assertThat(other).endsWith("threw over sequence 0, attempt 5"));
      assertThat(said.hasStackTrace()).isTrue();
    }
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
                  both.await(60, TimeUnit.SECONDS);
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
      await().until(() -> reactor.isRunning() && tasks.get() == 1);
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
    int errors = 120;
    AtomicInteger deepest = new AtomicInteger();
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .executor(Runnable::run)
            .batchSize(1)
            .processor(
                d -> {
                  deepest.accumulateAndGet(
                      Thread.currentThread().getStackTrace().length, Math::max);
                  if (d.attempt() == 1) {
                    throw new StackOverflowError("made by the test");
                  }
                  return see(d);
                })
            .start()) {
      queue.publisher().publishAll(Collections.nCopies(errors, "a"));
      awaitDrained();
      assertThat(reactor.stats().replaced()).isEqualTo(errors);
      assertThat(deepest.get()).isLessThan(100);
    }
  }

  @Test
  void shouldReplaceAThreadThatAnErrorEnded() {
    Map<String, Thread> threads = new ConcurrentHashMap<>(); // by message and attempt
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .processor(
                d -> {
                  threads.put(d.data() + "#" + d.attempt(), Thread.currentThread());
                  if (d.data().equals("b") && d.attempt() == 1) {
                    throw new StackOverflowError("made by the test");
                  }
                  return see(d);
                })
            .start()) {
      queue.publisher().publishAll(List.of("a", "b", "c"));
      awaitDrained();
      assertThat(seen).containsExactlyInAnyOrder("a", "b", "c");
      assertThat(reactor.stats().replaced()).isEqualTo(1);
      assertThat(threads.get("b#2")).isNotSameAs(threads.get("b#1"));
      await().until(() -> !threads.get("b#1").isAlive());
    }
  }

  @Tag("full")
  @Test
  void shouldGoOnThoughAProcessorInterruptsItself() {
    ExecutorService pool = Executors.newFixedThreadPool(1);
    Subscriber<String> other = subscriber("other");
    try (Reactor<String> own = Reactor.builder(subscriber).processor(this::seeInterrupted).start();
        Reactor<String> onPool =
            Reactor.builder(other).executor(pool).processor(this::seeInterrupted).start()) {
      queue.publisher().publishAll(List.of("a", "b"));
      queue.publisher().publish("c");
      awaitDrained();
      awaitDrained(other);
      assertThat(seen).containsExactlyInAnyOrder("a", "b", "c", "a", "b", "c");
      assertThat(own.stats().finished() + onPool.stats().finished()).isEqualTo(6);
      assertThat(own.stats().released()).isPositive(); // what was left of a batch
    } finally {
      pool.shutdownNow();
    }
  }

  private ProcessResult<String> seeInterrupted(Delivery<String> delivery) {
    assertThat(delivery.attempt()).isEqualTo(1);
    Thread.currentThread().interrupt();
    return see(delivery);
  }

  @Test
  void shouldEndWithAQueueThatIsDeletedAndWithASubscriberThatIsRemoved() {
    Subscriber<String> other = subscriber("other");
    try (Reactor<String> one = Reactor.builder(subscriber).processor(this::see).start();
        Reactor<String> two =
            Reactor.builder(other)
                .threads(2)
                .executor(Runnable::run)
                .processor(this::see)
                .start()) {
      queue.publisher().publish("a");
      await().until(() -> seen.size() == 2);
      queue.removeSubscriber("other");
      await().until(() -> !two.isRunning());
      assertThat(two.close(SOON)).isTrue();
      assertThat(one.isRunning()).isTrue();
      queue.publisher().publish("b");
      queue.delete(); // perhaps while it is processed
      await().until(() -> !one.isRunning());
      assertThat(one.close(SOON)).isTrue();
    }
  }

  @Test
  void shouldTakeDecisionsThatComeAfterItsEnd() {
    List<Delivery<String>> taken = Collections.synchronizedList(new ArrayList<>());
    Reactor<String> reactor =
        Reactor.builder(subscriber)
            .processor(d -> ProcessResult.pass(List.of(Message.of("x"), Message.of("y"))))
            .processor(
                d -> {
                  taken.add(d);
                  return ProcessResult.later();
                })
            .start();
    queue.publisher().publishAll(List.of("a", "b"));
    await().until(() -> taken.size() == 4);
    assertThat(reactor.close(SOON)).isTrue();
    assertThat(subscriber.stats().inFlight()).isEqualTo(2);
    taken.subList(0, 2).forEach(Delivery::ack);
    assertThat(subscriber.stats().lag()).isEqualTo(1);
    queue.close();
    taken.subList(2, 4).forEach(Delivery::ack); // too late, and nobody is hurt
    assertThat(reactor.stats().finished()).isEqualTo(1);
    assertThat(reactor.stats().late()).isEqualTo(1);
  }

  @Test
  void shouldLeaveWhatIsPassedOnToWhoKeepsIt() {
    List<Delivery<String>> kept = Collections.synchronizedList(new ArrayList<>());
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .ackAsync(true)
            .filter(d -> !d.data().equals("c"))
            .processor(
                d -> {
                  kept.add(d);
                  return ProcessResult.pass();
                })
            .processor(
                d -> {
                  see(d);
                  return d.data().equals("b") ? ProcessResult.done() : ProcessResult.pass();
                })
            .start()) {
      queue.publisher().publishAll(List.of("a", "b", "c"));
      await().until(() -> subscriber.stats().lag() == 1);
      assertThat(seen).containsExactly("a", "b");
      assertThat(reactor.stats().finished()).isEqualTo(2);
      kept.get(0).ack();
      assertThat(subscriber.stats().lag()).isZero();
    }
  }
}
