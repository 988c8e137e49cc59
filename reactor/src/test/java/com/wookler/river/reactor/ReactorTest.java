package com.wookler.river.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.subscriber.Delivery;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class ReactorTest extends ReactorFixture {
  private void publish(int messages) {
    for (int i = 0; i < messages; i++) {
      queue.publisher().publish("m" + i);
    }
  }

  @Test
  void shouldProcessInOrderAndAcknowledge() {
    publish(1_000);
    try (Reactor<String> reactor = Reactor.builder(subscriber).processor(this::see).start()) {
      awaitDrained();
      assertThat(seen).hasSize(1_000);
      assertThat(seen.get(0)).isEqualTo("m0");
      assertThat(seen.get(999)).isEqualTo("m999");
      assertThat(reactor.stats().finished()).isEqualTo(1_000);
    }
  }

  @Test
  void shouldProcessWhatIsPublishedWhileItRuns() {
    try (Reactor<String> reactor = Reactor.builder(subscriber).processor(this::see).start()) {
      assertThat(reactor.isRunning()).isTrue();
      publish(10);
      awaitDrained();
      assertThat(seen).hasSize(10);
    }
  }

  @Test
  void shouldPassChangedAndSeveralMessagesOn() {
    publish(2);
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .processor(
                "split",
                d ->
                    ProcessResult.pass(
                        List.of(
                            Message.of(d.data() + "a").withKey("left"),
                            Message.of(d.data() + "b").withKey("right"))))
            .processor(
                "store",
                d -> {
                  seen.add(d.data() + "/" + d.key() + "/" + d.sequence());
                  return ProcessResult.pass();
                })
            .start()) {
      awaitDrained();
      assertThat(seen).containsExactly("m0a/left/0", "m0b/right/0", "m1a/left/1", "m1b/right/1");
      assertThat(reactor.stats().finished()).isEqualTo(2);
    }
  }

  @Test
  void shouldRetryTheSourceIfOneOfSeveralIsRetried() {
    publish(1);
    AtomicInteger rounds = new AtomicInteger();
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .processor(d -> ProcessResult.pass(List.of(Message.of("a"), Message.of("b"))))
            .processor(
                d -> {
                  seen.add(d.data() + d.attempt());
                  return d.data().equals("b") && rounds.incrementAndGet() == 1
                      ? ProcessResult.retry(Duration.ZERO)
                      : ProcessResult.done();
                })
            .start()) {
      awaitDrained();
      assertThat(seen).containsExactly("a1", "b1", "a2", "b2");
      assertThat(reactor.stats().retried()).isEqualTo(1);
      assertThat(reactor.stats().finished()).isEqualTo(1);
    }
  }

  @Test
  void shouldDeliverAgainWhatAProcessorThrewOver() {
    publish(3);
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .processor(
                d -> {
                  seen.add(d.data() + "#" + d.attempt());
                  if (d.data().equals("m1") && d.attempt() == 1) {
                    throw new IOException("downstream is away");
                  }
                  return ProcessResult.done();
                })
            .start()) {
      awaitDrained();
      assertThat(seen).containsExactlyInAnyOrder("m0#1", "m1#1", "m2#1", "m1#2");
      assertThat(reactor.stats().failed()).isEqualTo(1);
      assertThat(reactor.stats().finished()).isEqualTo(3);
    }
  }

  @Test
  void shouldFailABatchWithTheWrongNumberOfResults() {
    publish(2);
    AtomicBoolean wrong = new AtomicBoolean(true);
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .batchProcessor(
                "bulk",
                batch ->
                    wrong.getAndSet(false) ? List.of() : batch.stream().map(this::see).toList())
            .start()) {
      awaitDrained();
      assertThat(seen).containsExactlyInAnyOrder("m0", "m1");
      assertThat(reactor.stats().failed()).isPositive();
    }
  }

  @Test
  void shouldLeaveADecisionToWhoTookItOver() {
    publish(2);
    Map<String, Delivery<String>> taken = new ConcurrentHashMap<>();
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .processor(d -> ProcessResult.pass(Message.of(d.data().toUpperCase(Locale.ROOT))))
            .processor(
                d -> {
                  taken.put(d.data(), d);
                  return ProcessResult.later();
                })
            .start()) {
      await().until(() -> taken.size() == 2);
      assertThat(subscriber.stats().lag()).isEqualTo(2);
      taken.get("M1").ack();
      taken.get("M1").ack();
      assertThat(subscriber.stats().lag()).isEqualTo(1);
      taken.get("M0").ack();
      assertThat(subscriber.stats().lag()).isZero();
      assertThat(reactor.stats().finished()).isEqualTo(2);
    }
  }

  @Test
  void shouldFinishWhatAFilterRefuses() {
    publish(10);
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .filter(d -> d.sequence() % 2 == 0)
            .processor(this::see)
            .start()) {
      awaitDrained();
      assertThat(seen).containsExactly("m0", "m2", "m4", "m6", "m8");
      assertThat(reactor.stats().filtered()).isEqualTo(5);
    }
  }

  @Test
  void shouldFailAMessageWhoseFilterThrows() {
    publish(2);
    AtomicBoolean thrown = new AtomicBoolean();
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .filter(
                d -> {
                  if (d.sequence() == 0 && !thrown.getAndSet(true)) {
                    throw new IllegalStateException("made by the test");
                  }
                  return true;
                })
            .processor(this::see)
            .start()) {
      awaitDrained();
      assertThat(seen).containsExactlyInAnyOrder("m0", "m1");
      assertThat(reactor.stats().failed()).isEqualTo(1);
    }
  }

  @Test
  void shouldRouteEachMessageToOneProcessor() {
    publish(9);
    Selector<String> selector =
        Selector.<String>create()
            .when(d -> d.sequence() % 3 == 0, "thirds", d -> seeAs("third", d))
            .when(d -> d.sequence() % 2 == 0, "even", d -> seeAs("even", d));
    try (Reactor<String> reactor = Reactor.builder(subscriber).select(selector).start()) {
      awaitDrained();
      assertThat(seen)
          .containsExactlyInAnyOrder(
              "third m0", "third m3", "third m6", "even m2", "even m4", "even m8");
      assertThat(reactor.stats().unmatched()).isEqualTo(3);
    }
  }

  @Test
  void shouldSendWhatNoRouteAcceptsToTheDefault() {
    publish(4);
    Selector<String> selector =
        Selector.<String>create()
            .when(d -> d.sequence() == 0, "first", d -> seeAs("first", d))
            .otherwise("rest", d -> seeAs("rest", d));
    try (Reactor<String> reactor = Reactor.builder(subscriber).select(selector).start()) {
      awaitDrained();
      assertThat(seen).containsExactlyInAnyOrder("first m0", "rest m1", "rest m2", "rest m3");
      assertThat(reactor.stats().unmatched()).isZero();
    }
  }

  private ProcessResult<String> seeAs(String route, Delivery<String> delivery) {
    seen.add(route + " " + delivery.data());
    return ProcessResult.done();
  }

  @Test
  void shouldTakeNothingWhilePaused() throws InterruptedException {
    try (Reactor<String> reactor = Reactor.builder(subscriber).processor(this::see).start()) {
      reactor.pause();
      publish(3);
      assertThat(reactor.isRunning()).isFalse();
      Delivery<String> own = subscriber.next(SOON); // nobody else takes them
      assertThat(own).isNotNull();
      own.release();
      assertThat(seen).isEmpty();
      reactor.resume();
      awaitDrained();
      assertThat(seen).hasSize(3);
    }
  }

  @Test
  void shouldFinishTheBatchUnderWayWhenItIsClosed() throws InterruptedException {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    publish(3);
    Reactor<String> reactor =
        Reactor.builder(subscriber)
            .processor(
                d -> {
                  entered.countDown();
                  go.await();
                  return see(d);
                })
            .start();
    entered.await();
    Thread closer = new Thread(reactor::close, "closer");
    closer.start();
    await().until(() -> !reactor.isRunning());
    go.countDown();
    closer.join(SOON.toMillis());
    assertThat(seen).containsExactly("m0", "m1", "m2");
    assertThat(subscriber.stats().lag()).isZero();
  }

  @Test
  void shouldGiveBackWhatIsNotDoneInTime() throws InterruptedException {
    CountDownLatch entered = new CountDownLatch(1);
    publish(3);
    Reactor<String> reactor =
        Reactor.builder(subscriber)
            .processor(
                d -> {
                  entered.countDown();
                  new CountDownLatch(1).await(); // until it is interrupted
                  return ProcessResult.done();
                })
            .start();
    entered.await();
    assertThat(reactor.close(Duration.ZERO)).isFalse();
    List<Delivery<String>> again = subscriber.batch(10, SOON);
    assertThat(again)
        .extracting(delivery -> delivery.data() + "#" + delivery.attempt())
        .containsExactlyInAnyOrder("m0#2", "m1#1", "m2#1"); // one had begun
  }

  @Test
  void shouldStopWithItsSubscriber() {
    Reactor<String> reactor = Reactor.builder(subscriber).processor(this::see).start();
    subscriber.close();
    await().until(() -> !reactor.isRunning());
    assertThat(reactor.close(SOON)).isTrue();
  }

  @Test
  void shouldBeClosedByAProcessor() {
    publish(1);
    AtomicReference<Reactor<String>> own = new AtomicReference<>();
    CountDownLatch started = new CountDownLatch(1);
    Reactor<String> reactor =
        Reactor.builder(subscriber)
            .processor(
                d -> {
                  started.await();
                  own.get().close();
                  return see(d);
                })
            .start();
    own.set(reactor);
    started.countDown();
    awaitDrained();
    assertThat(reactor.isRunning()).isFalse();
  }

  @Test
  void shouldCloseProcessorsOnce() {
    AtomicInteger closed = new AtomicInteger();
    Reactor<String> reactor = Reactor.builder(subscriber).processor(new Closing(closed)).start();
    reactor.close();
    reactor.close();
    assertThat(closed).hasValue(1);
  }

  private record Closing(AtomicInteger closed) implements Processor<String>, AutoCloseable {
    @Override
    public ProcessResult<String> process(Delivery<String> delivery) {
      return ProcessResult.done();
    }

    @Override
    public void close() {
      closed.incrementAndGet();
    }
  }

  @Test
  void shouldProcessOnTheCallersThread() {
    publish(3);
    try (Reactor<String> reactor =
        Reactor.builder(subscriber).threads(0).batchSize(2).processor(this::see).start()) {
      assertThat(reactor.process(SOON)).isEqualTo(2);
      assertThat(reactor.process(SOON)).isEqualTo(1);
      assertThat(reactor.process(Duration.ZERO)).isZero();
      assertThat(seen).containsExactly("m0", "m1", "m2");
    }
  }

  @Test
  void shouldLeaveTheInterruptOfACallerThatProcesses() throws InterruptedException {
    try (Reactor<String> reactor =
        Reactor.builder(subscriber).threads(0).processor(this::see).start()) {
      AtomicBoolean left = new AtomicBoolean();
      Thread caller =
          new Thread(
              () -> {
                assertThat(reactor.process(Duration.ofMinutes(5))).isZero();
                left.set(Thread.currentThread().isInterrupted());
              },
              "caller");
      caller.start();
      await().until(() -> caller.getState() == Thread.State.TIMED_WAITING);
      caller.interrupt();
      caller.join(SOON.toMillis());
      assertThat(left).isTrue();
    }
  }

  @Test
  void shouldWakeACallerThatProcessesWhenItIsClosed() throws InterruptedException {
    AtomicBoolean interrupted = new AtomicBoolean(true);
    Reactor<String> reactor = Reactor.builder(subscriber).threads(0).processor(this::see).start();
    Thread caller =
        new Thread(
            () -> {
              reactor.process(Duration.ofMinutes(5));
              interrupted.set(Thread.currentThread().isInterrupted());
            },
            "caller");
    caller.start();
    await().until(() -> caller.getState() == Thread.State.TIMED_WAITING);
    assertThat(reactor.close(SOON)).isTrue();
    caller.join(SOON.toMillis());
    assertThat(interrupted).isFalse();
  }

  @Test
  void shouldGoOnWhereABatchProcessorGivesNoResultForAMessage() {
    publish(2);
    AtomicBoolean wrong = new AtomicBoolean(true);
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .batchProcessor(
                "bulk",
                batch ->
                    wrong.getAndSet(false)
                        ? Collections.nCopies(batch.size(), null)
                        : batch.stream().map(this::see).toList())
            .start()) {
      awaitDrained();
      assertThat(seen).containsExactlyInAnyOrder("m0", "m1");
      assertThat(reactor.stats().failed()).isPositive();
    }
  }

  @Test
  void shouldRunOnAnExecutorUntilThatInterrupts() {
    publish(10);
    ExecutorService own = Executors.newFixedThreadPool(2);
    try (Reactor<String> reactor =
        Reactor.builder(subscriber).threads(2).executor(own).processor(this::see).start()) {
      awaitDrained();
      own.shutdownNow();
      await().until(own::isTerminated);
      assertThat(reactor.stats().finished()).isEqualTo(10);
    }
  }

  @Test
  void shouldUseManyThreads() {
    Map<String, Boolean> threads = new ConcurrentHashMap<>();
    publish(2_000);
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .threads(4)
            .batchSize(10)
            .processor(
                d -> {
                  threads.put(Thread.currentThread().getName(), true);
                  return see(d);
                })
            .start()) {
      awaitDrained();
      assertThat(seen).hasSize(2_000).doesNotHaveDuplicates();
      assertThat(threads.keySet()).allMatch(name -> name.startsWith("REACTOR-store-"));
      assertThat(reactor.stats().finished()).isEqualTo(2_000);
    }
  }

  @Test
  void shouldRefuseAReactorWithoutProcessor() {
    assertThatThrownBy(() -> Reactor.builder(subscriber).start())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("store")
        .hasMessageContaining("no processor");
  }
}
