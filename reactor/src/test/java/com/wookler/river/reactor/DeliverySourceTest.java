package com.wookler.river.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.Interrupts;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.subscriber.Backoff;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.Settlement;
import com.wookler.river.core.subscriber.SubscriberStats;
import com.wookler.river.reactor.DeliverySource.Capability;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A reactor over a source that is no queue. */
@Timeout(120)
class DeliverySourceTest {
  private final MemorySource source = new MemorySource();

  @Test
  void shouldSettleWhatProcessorsAnswer() {
    try (Reactor<String> reactor =
        Reactor.builder(source)
            .processor(
                each ->
                    switch (each.data()) {
                      case "m0" -> ProcessResult.reject("no");
                      case "m1" -> throw new IllegalStateException("fails");
                      case "m2" ->
                          each.attempt() == 1 ? ProcessResult.retry() : ProcessResult.ack();
                      default -> ProcessResult.pass();
                    })
            .onFailure(IllegalStateException.class, FailurePolicy.REJECT)
            .threads(3)
            .start()) {
      for (int i = 0; i < 100; i++) {
        source.add(i, 1);
      }
      await().until(() -> reactor.stats().finished() == 98);
      await().until(() -> Settlement.ack().equals(source.settled.get(2L)));
      await().until(() -> source.settled.size() == 100);
      assertThat(source.settled.get(0L)).isEqualTo(Settlement.reject("no"));
      assertThat(source.settled.get(1L).toString()).contains("fails");
      assertThat(source.consumers).hasValue(3);
    }
    assertThat(source.consumers).hasValue(0);
    assertThat(Thread.getAllStackTraces().keySet())
        .extracting(Thread::getName)
        .noneMatch(name -> name.startsWith("REACTOR-memory"));
  }

  @Test
  void shouldCountWhatBecameOfMessages() {
    source.lagKnown = true;
    CountDownLatch end = new CountDownLatch(1);
    for (int i = 0; i < 3; i++) {
      source.add(i, 1);
    }
    try (Reactor<String> reactor =
        Reactor.builder(source)
            .processor(
                each -> {
                  end.await();
                  return switch (each.data()) {
                    case "m0" -> ProcessResult.reject("no");
                    case "m1" -> each.attempt() == 1 ? ProcessResult.retry() : ProcessResult.ack();
                    default -> ProcessResult.ack();
                  };
                })
            .batchSize(10)
            .start()) {
      await().until(() -> reactor.subscriber().stats().inFlight() == 3);
      assertThat(reactor.subscriber().stats().acked()).isZero();
      end.countDown();
      await().until(() -> reactor.subscriber().stats().acked() == 2);
      await().until(() -> reactor.subscriber().stats().lag() == 0);
      SubscriberStats stats = reactor.subscriber().stats();
      assertThat(stats.delivered()).isEqualTo(4);
      assertThat(stats.redelivered()).isEqualTo(1);
      assertThat(stats.dead()).isEqualTo(1);
      assertThat(stats.inFlight()).isZero();
      source.lagKnown = false;
      await().until(() -> reactor.subscriber().stats().lag() == SubscriberStats.UNKNOWN);
    }
  }

  @Test
  void shouldKeepABatchThatTakesLong() {
    CountDownLatch end = new CountDownLatch(1);
    source.add(1, 1);
    try (Reactor<String> reactor =
        Reactor.builder(source)
            .processor(
                each -> {
                  end.await();
                  return ProcessResult.ack();
                })
            .start()) {
      await().until(() -> source.kept.get() > 3);
      assertThat(source.settled).isEmpty();
      end.countDown();
      await().until(() -> reactor.stats().finished() == 1 && source.settled.size() == 1);
    }
  }

  @Test
  void shouldProcessOnTheCallingThread() {
    source.add(7, 1);
    try (Reactor<String> reactor =
        Reactor.builder(source).processor(each -> ProcessResult.ack()).threads(0).start()) {
      assertThat(reactor.process(Duration.ofSeconds(60))).isEqualTo(1);
      assertThat(reactor.process(Duration.ZERO)).isZero();
      await().until(() -> source.settled.size() == 1);
    }
  }

  @Test
  void shouldRunOnThreadsOfThoseWhoCompleteFutures() {
    try (Reactor<String> reactor =
        Reactor.builder(source)
            .processor(each -> ProcessResult.ack())
            .executor(new InlineExecutor())
            .start()) {
      for (int i = 0; i < 20; i++) {
        source.add(i, 1);
      }
      await().until(() -> source.settled.size() == 20);
      assertThat(reactor.isRunning()).isTrue();
    }
  }

  @Test
  void shouldTakeAnswersThatComeLater() {
    source.add(1, 1);
    try (Reactor<String> reactor =
        Reactor.builder(source)
            .asyncProcessor("async", each -> CompletableFuture.supplyAsync(ProcessResult::ack), 10)
            .start()) {
      await().until(() -> source.settled.size() == 1);
      assertThat(reactor.isRunning()).isTrue();
    }
  }

  @Test
  void shouldTryAgainWhenAConsumerFails() {
    source.opening.add(
        () -> {
          throw new IllegalStateException("not now");
        });
    source.add(1, 1);
    try (Reactor<String> reactor =
        Reactor.builder(source).processor(each -> ProcessResult.ack()).start()) {
      await().until(() -> source.settled.size() == 1);
      assertThat(reactor.isRunning()).isTrue();
    }
  }

  @Test
  void shouldRefuseAnOrderThatTheSourceDoesNotKeep() {
    for (Order order : Order.values()) {
      assertThatThrownBy(
              () ->
                  Reactor.builder(source)
                      .processor(each -> ProcessResult.ack())
                      .orderBy(order)
                      .start())
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("orderBy")
          .hasMessageContaining("a queue's subscriber");
    }
  }

  @Test
  void shouldDeliverToAWorkerThatWaitsWhileItsConsumerFails() {
    source.beforeTake.add(
        () -> {
          throw new IllegalStateException("not now");
        });
    source.beforeTake.add(
        () -> {
          throw new NoClassDefFoundError("not now either");
        });
    source.add(1, 1);
    try (Reactor<String> reactor =
        Reactor.builder(source).processor(each -> ProcessResult.ack()).start()) {
      await().until(() -> source.settled.size() == 1);
      assertThat(reactor.stats().finished()).isEqualTo(1);
    }
  }

  @Test
  void shouldGiveDelaysOfItsBackoff() {
    source.backoff = Backoff.fixed(Duration.ofMillis(1234));
    source.add(1, 1);
    source.add(2, 1);
    source.add(3, 1);
    Set<Settlement> seen = ConcurrentHashMap.newKeySet();
    try (Reactor<String> reactor =
        Reactor.builder(source)
            .processor(
                each -> {
                  if (each.attempt() > 1) {
                    seen.add(source.settled.get(each.sequence()));
                    return ProcessResult.ack();
                  }
                  if (each.sequence() == 3) {
                    throw new IllegalStateException("fails");
                  }
                  return each.sequence() == 1
                      ? ProcessResult.retry()
                      : ProcessResult.retry(Duration.ofSeconds(5));
                })
            .start()) {
      await().until(() -> reactor.stats().finished() == 3);
    }
    assertThat(seen)
        .containsExactlyInAnyOrder(
            Settlement.nack(Duration.ofMillis(1234)),
            Settlement.nack(Duration.ofSeconds(5)),
            Settlement.nack(Duration.ofMillis(1234), "java.lang.IllegalStateException: fails"));
  }

  @Test
  void shouldTakeTheAnswerOfAProcessorThatClosesItsReactor() {
    source.add(1, 1);
    AtomicReference<Reactor<String>> reactor = new AtomicReference<>();
    CountDownLatch started = new CountDownLatch(1);
    reactor.set(
        Reactor.builder(source)
            .processor(
                each -> {
                  started.await();
                  reactor.get().close();
                  return ProcessResult.ack();
                })
            .start());
    started.countDown();
    await().until(() -> Settlement.ack().equals(source.settled.get(1L)));
    await().until(() -> source.consumers.get() == 0);
  }

  @Test
  void shouldRefuseNoSource() {
    assertThatThrownBy(() -> Reactor.builder((DeliverySource<String>) null))
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("source");
  }

  @Test
  void shouldTakeWhatIsThereWithoutWaiting() {
    source.add(7, 1);
    try (Reactor<String> reactor =
        Reactor.builder(source).processor(each -> ProcessResult.ack()).threads(0).start()) {
      await().until(() -> reactor.process(Duration.ZERO) == 1);
      await().until(() -> source.settled.size() == 1);
    }
  }

  @Test
  void shouldDeliverAgainWhatGetsNoAnswer() {
    source.add(1, 1);
    CompletableFuture<ProcessResult<String>> late = new CompletableFuture<>();
    try (Reactor<String> reactor =
        Reactor.builder(source)
            .asyncProcessor(
                "async",
                each ->
                    each.attempt() == 1
                        ? late
                        : CompletableFuture.completedFuture(ProcessResult.ack()),
                10)
            .timeLimit(Duration.ofMillis(300))
            .start()) {
      await().until(() -> reactor.stats().finished() == 1);
      await().until(() -> Settlement.ack().equals(source.settled.get(1L)));
      late.complete(ProcessResult.ack());
      assertThat(reactor.stats().late()).isEqualTo(1);
    }
  }

  @Test
  void shouldWaitForAnAnswerAsLongAsItsProcessorSays() {
    source.add(1, 1);
    CompletableFuture<ProcessResult<String>> answer = new CompletableFuture<>();
    try (Reactor<String> reactor =
        Reactor.builder(source)
            .asyncProcessor(
                "async",
                each -> {
                  each.extend(Duration.ofHours(1));
                  return answer;
                },
                10)
            .timeLimit(Duration.ofMillis(1))
            .start()) {
      int before = source.kept.get();
      await().until(() -> source.kept.get() > before + 30);
      assertThat(source.settled).isEmpty();
      answer.complete(ProcessResult.ack());
      await().until(() -> Settlement.ack().equals(source.settled.get(1L)));
      assertThat(reactor.stats().finished()).isEqualTo(1);
    }
  }

  @Test
  void shouldSayThatItsSourceDoesNotCloseInTime() {
    CountDownLatch answered = new CountDownLatch(1);
    CountDownLatch asked = new CountDownLatch(1);
    source.beforeTake.add(
        () -> {
          asked.countDown();
          Interrupts.defer(
              () -> {
                while (answered.getCount() > 0) {
                  LockSupport.parkNanos(1_000_000);
                }
              });
        });
    Reactor<String> reactor =
        Reactor.builder(source).processor(each -> ProcessResult.ack()).start();
    try {
      await().until(() -> asked.getCount() == 0);
      long began = System.nanoTime();
      assertThat(reactor.close(Duration.ofMillis(200))).isFalse();
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(7));
    } finally {
      answered.countDown();
    }
    await().until(() -> source.consumers.get() == 0);
  }

  @Test
  void shouldStartSeveralReactorsOfOneBuilder() {
    Reactor.Builder<String> builder =
        Reactor.builder(source).processor(each -> ProcessResult.ack());
    builder.start().close();
    try (Reactor<String> second = builder.start()) {
      source.add(1, 1);
      await().until(() -> second.stats().finished() == 1);
    }
  }

  @Test
  void shouldKeepEachOrderThatTheSourceKeeps() {
    source.capabilities = Set.of(Capability.KEY_ORDER, Capability.SEQUENCE_ORDER);
    Reactor.Builder<String> builder =
        Reactor.builder(source).processor(each -> ProcessResult.ack());
    for (Order order : Set.of(Order.KEY, Order.SEQUENCE)) {
      try (Reactor<String> reactor = builder.orderBy(order).start()) {
        assertThat(reactor.isRunning()).isTrue();
      }
    }
    assertThatThrownBy(() -> builder.orderBy(Order.STRICT).start())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("STRICT");
  }
}
