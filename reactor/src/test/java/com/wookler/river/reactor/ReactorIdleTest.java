package com.wookler.river.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Reactors that have nothing to do. */
class ReactorIdleTest extends ReactorFixture {
  private static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("REACTOR-"))
        .toList();
  }

  /** Those that are started ahead for all reactors. */
  private static List<Long> spares() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("RIVER-standby-"))
        .map(Thread::getId)
        .toList();
  }

  private static List<String> runnable() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getState() == Thread.State.RUNNABLE)
        .map(Thread::getName)
        .filter(name -> name.startsWith("REACTOR-") || name.startsWith("RIVER-"))
        .toList();
  }

  @Tag("full")
  @Test
  void shouldHoldNoThreadWhileAHundredReactorsHaveNothingToDo() {
    List<Reactor<String>> reactors = new ArrayList<>();
    AtomicInteger processed = new AtomicInteger();
    for (int i = 0; i < 100; i++) {
      reactors.add(
          Reactor.builder(subscriber("s" + i))
              .processor(
                  d -> {
                    processed.incrementAndGet();
                    return ProcessResult.done();
                  })
              .start());
    }
    await().until(() -> threads().isEmpty() && runnable().isEmpty());
    queue.publisher().publish("a");
    await().until(() -> processed.get() == 100);
    await().until(() -> threads().isEmpty() && runnable().isEmpty());
    queue.publisher().publish("b");
    await().until(() -> processed.get() == 200);
    assertThat(reactors).allMatch(Reactor::isRunning).allMatch(reactor -> reactor.close(SOON));
    await().until(() -> threads().isEmpty());
  }

  @Tag("full")
  @Test
  void shouldBeWokenInThreadsThatWereStartedAheadForAllReactors() {
    List<Long> used = Collections.synchronizedList(new ArrayList<>());
    List<Reactor<String>> reactors = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      reactors.add(
          Reactor.builder(subscriber("s" + i))
              .processor(
                  d -> {
                    used.add(Thread.currentThread().getId());
                    return ProcessResult.done();
                  })
              .start());
    }
    for (int round = 1; round <= 2; round++) {
      int all = round * reactors.size();
      await().until(() -> threads().isEmpty() && spares().size() == StandbyThreads.NUMBER);
      List<Long> ahead = spares();
      queue.publisher().publish("m" + round);
      await().until(() -> used.size() == all);
      assertThat(used.subList(all - reactors.size(), all))
          .doesNotHaveDuplicates()
          .containsAll(ahead);
    }
    reactors.forEach(Reactor::close);
    await().until(() -> spares().isEmpty());
  }

  @Test
  void shouldHaveTheClassLoaderOfWhoStartedItAfterARest() {
    List<ClassLoader> loaders = Collections.synchronizedList(new ArrayList<>());
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    ClassLoader own = new ClassLoader(before) {};
    Thread.currentThread().setContextClassLoader(own);
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .processor(
                d -> {
                  loaders.add(Thread.currentThread().getContextClassLoader());
                  return see(d);
                })
            .start()) {
      Thread.currentThread().setContextClassLoader(before);
      await().until(() -> threads().isEmpty());
      queue.publisher().publish("a");
      awaitDrained();
      assertThat(loaders).containsExactly(own);
      assertThat(reactor.stats().finished()).isEqualTo(1);
    } finally {
      Thread.currentThread().setContextClassLoader(before);
    }
  }

  @Test
  void shouldLeaveTheThreadsOfAnExecutorFreeBetweenMessages() {
    ThreadPoolExecutor own = (ThreadPoolExecutor) Executors.newFixedThreadPool(1);
    try (Reactor<String> reactor =
        Reactor.builder(subscriber).threads(3).executor(own).processor(this::see).start()) {
      for (int round = 1; round <= 3; round++) {
        queue.publisher().publish("m");
        awaitDrained();
        await().until(() -> own.getActiveCount() == 0 && own.getQueue().isEmpty());
        assertThat(reactor.stats().finished()).isEqualTo(round);
      }
    } finally {
      own.shutdownNow();
    }
  }

  @Test
  void shouldShareOneThreadBetweenReactors() {
    ExecutorService own = Executors.newSingleThreadExecutor();
    Subscriber<String> other = subscriber("other");
    try (Reactor<String> one =
            Reactor.builder(subscriber).executor(own).processor(this::see).start();
        Reactor<String> two = Reactor.builder(other).executor(own).processor(this::see).start()) {
      IntStream.range(0, 200).forEach(i -> queue.publisher().publish("m" + i));
      awaitDrained();
      awaitDrained(other);
      assertThat(one.stats().finished() + two.stats().finished()).isEqualTo(400);
    } finally {
      own.shutdownNow();
    }
  }

  @Test
  void shouldRunWhereItsMessagesComeFrom() {
    try (Reactor<String> reactor =
        Reactor.builder(subscriber).executor(Runnable::run).processor(this::see).start()) {
      IntStream.range(0, 300).forEach(i -> queue.publisher().publish("m" + i));
      awaitDrained();
      assertThat(seen).hasSize(300).startsWith("m0", "m1").endsWith("m299");
      assertThat(reactor.stats().finished()).isEqualTo(300);
      assertThat(threads()).isEmpty();
    }
  }

  @Test
  void shouldNotProcessInlineOnTheThreadThatStartsOrResumesIt() {
    List<Thread> threads = Collections.synchronizedList(new ArrayList<>());
    queue.publisher().publish("before");
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .executor(new InlineExecutor())
            .processor(
                d -> {
                  threads.add(Thread.currentThread());
                  return see(d);
                })
            .start()) {
      awaitDrained();
      for (int round = 0; round < 20; round++) {
        reactor.pause();
        queue.publisher().publish("m" + round);
        assertThat(seen).hasSize(1 + round);
        reactor.resume();
        awaitDrained();
      }
      assertThat(threads).hasSize(21).doesNotContain(Thread.currentThread());
      assertThat(threads()).isEmpty();
    }
  }

  @Test
  void shouldEndWithoutTroubleWhereItsExecutorRefuses() throws InterruptedException {
    ExecutorService own = Executors.newSingleThreadExecutor();
    try (Reactor<String> reactor =
        Reactor.builder(subscriber).executor(own).processor(this::see).start()) {
      queue.publisher().publish("a");
      awaitDrained();
      own.shutdown();
      queue.publisher().publish("b");
      List<Delivery<String>> left = new ArrayList<>();
      await().until(() -> left.addAll(subscriber.batch(10, Duration.ofMillis(100))));
      assertThat(left).extracting(d -> d.data() + "#" + d.attempt()).containsExactly("b#1");
      assertThat(reactor.close(SOON)).isTrue();
    }
  }

  @Test
  void shouldStartWhereItsExecutorIsFullForAMoment() {
    ThreadPoolExecutor full =
        new ThreadPoolExecutor(1, 1, 1, TimeUnit.MINUTES, new SynchronousQueue<>());
    CountDownLatch busy = new CountDownLatch(1);
    full.execute(
        () -> {
          try {
            busy.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    try (Reactor<String> reactor =
        Reactor.builder(subscriber).executor(full).processor(this::see).start()) {
      assertThat(reactor.isRunning()).isTrue();
      queue.publisher().publish("a");
      busy.countDown();
      awaitDrained();
      assertThat(seen).containsExactly("a");
    } finally {
      full.shutdownNow();
    }
    assertThatThrownBy(
            () -> Reactor.builder(subscriber).executor(full).processor(this::see).start())
        .isInstanceOf(RejectedExecutionException.class); // for good
  }

  @Test
  void shouldTakeNothingWhilePausedInItsRestAndGoOnAfterwards() {
    try (Reactor<String> reactor =
        Reactor.builder(subscriber).executor(Runnable::run).processor(this::see).start()) {
      for (int round = 0; round < 20; round++) {
        reactor.pause();
        queue.publisher().publish("m" + round);
        assertThat(seen).hasSize(round);
        reactor.resume();
        awaitDrained();
      }
      assertThat(seen).hasSize(20);
    }
  }

  @Test
  void shouldLoseNothingToPausesAndResumesAtAnyMoment() throws InterruptedException {
    CountDownLatch published = new CountDownLatch(1);
    try (Reactor<String> reactor =
        Reactor.builder(subscriber).threads(3).processor(this::see).start()) {
      Thread publisher =
          new Thread(
              () -> {
                IntStream.range(0, 3_000).forEach(i -> queue.publisher().publish("m" + i));
                published.countDown();
              },
              "publisher");
      publisher.start();
      while (published.getCount() > 0) {
        reactor.pause();
        reactor.resume();
      }
      publisher.join();
      awaitDrained();
      assertThat(seen).hasSize(3_000).doesNotHaveDuplicates();
    }
  }

  @Test
  void shouldHoldTheReactorBackForAWhile() {
    AtomicInteger calls = new AtomicInteger();
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .processor(
                d ->
                    calls.incrementAndGet() == 1
                        ? ProcessResult.holdBack(Duration.ofMinutes(5))
                        : see(d))
            .start()) {
      queue.publisher().publish("a");
      await().until(() -> reactor.stats().released() == 1);
      queue.publisher().publish("b");
      await().until(() -> threads().isEmpty()); // it waits without one
      assertThat(calls).hasValue(1);
      assertThat(reactor.close(SOON)).isTrue();
    }
    assertThat(subscriber.stats().lag()).isEqualTo(2);
  }
}
