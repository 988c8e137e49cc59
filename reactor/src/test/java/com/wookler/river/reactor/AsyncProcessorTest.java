package com.wookler.river.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.reactor.processors.RetryProcessor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.Thread.State;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class AsyncProcessorTest extends ReactorFixture {
  private final Map<String, CompletableFuture<ProcessResult<String>>> begun =
      new ConcurrentHashMap<>();

  private CompletionStage<ProcessResult<String>> begin(Delivery<String> delivery) {
    CompletableFuture<ProcessResult<String>> stage = new CompletableFuture<>();
    begun.put(delivery.data(), stage);
    return stage;
  }

  private void publish(int messages) {
    for (int i = 0; i < messages; i++) {
      queue.publisher().publish("m" + i);
    }
  }

  @Test
  void shouldAcknowledgeWhenTheStageCompletes() {
    publish(3);
    try (Reactor<String> reactor =
        Reactor.builder(subscriber).asyncProcessor("send", this::begin, 10).start()) {
      await().until(() -> begun.size() == 3);
      assertThat(subscriber.stats().acked()).isZero();
      begun.get("m1").complete(ProcessResult.done());
      assertThat(subscriber.stats().acked()).isOne();
      begun.get("m0").complete(ProcessResult.pass());
      begun.get("m2").complete(ProcessResult.reject("bad"));
      assertThat(subscriber.stats().acked()).isEqualTo(2);
      await().until(() -> reactor.stats().rejected() == 1);
    }
  }

  @Test
  void shouldBeginNoMoreThanAllowed() {
    publish(20);
    AtomicInteger most = new AtomicInteger();
    AtomicInteger open = new AtomicInteger();
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .threads(3)
            .asyncProcessor(
                "send",
                d -> {
                  most.accumulateAndGet(open.incrementAndGet(), Math::max);
                  return CompletableFuture.supplyAsync(
                      () -> {
                        open.decrementAndGet();
                        return ProcessResult.done();
                      },
                      CompletableFuture.delayedExecutor(5, TimeUnit.MILLISECONDS));
                },
                4)
            .start()) {
      awaitDrained();
      assertThat(most.get()).isBetween(1, 4);
      await().until(() -> reactor.stats().finished() == 20);
    }
  }

  @Test
  void shouldGoByThePolicyWhereTheStageFails() {
    publish(2);
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .onFailure(IOException.class, FailurePolicy.REJECT)
            .asyncProcessor(
                "send",
                d ->
                    d.attempt() == 1 && d.data().equals("m0")
                        ? CompletableFuture.failedFuture(new IllegalStateException("again"))
                        : CompletableFuture.supplyAsync(
                            () -> {
                              if (d.data().equals("m1")) {
                                throw new UncheckedIOException(new IOException("away"));
                              }
                              return ProcessResult.done();
                            }),
                10)
            .start()) {
      awaitDrained();
      await().until(() -> subscriber.stats().dead() == 1);
      await().until(() -> reactor.stats().finished() == 1);
      await().until(() -> reactor.stats().failed() == 2);
    }
  }

  @Test
  void shouldFailTheMessageWithoutAStageOrAResult() {
    publish(1);
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .asyncProcessor(
                "send",
                d ->
                    switch (d.attempt()) {
                      case 1 -> throw new IOException("not begun");
                      case 2 -> CompletableFuture.completedFuture(null);
                      default -> CompletableFuture.completedFuture(ProcessResult.done());
                    },
                1)
            .start()) {
      await().until(() -> reactor.stats().finished() == 1);
      assertThat(reactor.stats().failed()).isEqualTo(2);
    }
  }

  @Test
  void shouldKeepTheOrderOfKeys() {
    Subscriber<String> byKey =
        queue.subscriber(SubscriberConfig.builder("keys").ack(true).order(Order.KEY).build());
    for (int i = 0; i < 60; i++) {
      queue.publisher().publish(Message.of("m" + i).withKey("k" + i % 3));
    }
    Map<String, Integer> last = new ConcurrentHashMap<>();
    AtomicBoolean disorder = new AtomicBoolean();
    try (Reactor<String> reactor =
        Reactor.builder(byKey)
            .threads(2)
            .asyncProcessor(
                "send",
                d ->
                    CompletableFuture.supplyAsync(
                        () -> {
                          int number = Integer.parseInt(d.data().substring(1));
                          Integer before = last.put(String.valueOf(d.key()), number);
                          if (before != null && before != number - 3) {
                            disorder.set(true);
                          }
                          return ProcessResult.done();
                        }),
                10)
            .start()) {
      awaitDrained(byKey);
      assertThat(disorder).isFalse();
      await().until(() -> reactor.stats().finished() == 60);
    }
  }

  @Test
  void shouldProcessOneAtATimeInTheOrderOfSequences() {
    publish(30);
    AtomicInteger open = new AtomicInteger();
    AtomicBoolean several = new AtomicBoolean();
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .orderBy(Order.SEQUENCE)
            .asyncProcessor(
                "send",
                d -> {
                  several.compareAndSet(false, open.incrementAndGet() > 1);
                  return CompletableFuture.supplyAsync(
                      () -> {
                        seen.add(d.data());
                        open.decrementAndGet();
                        return ProcessResult.done();
                      });
                },
                10)
            .start()) {
      awaitDrained();
      assertThat(several).isFalse();
      assertThat(seen.get(0)).isEqualTo("m0");
      assertThat(seen.get(29)).isEqualTo("m29");
      assertThat(reactor.isRunning()).isTrue();
    }
  }

  @Test
  void shouldWaitForItsStagesWhenItIsClosed() throws Exception {
    publish(1);
    Reactor<String> reactor =
        Reactor.builder(subscriber).asyncProcessor("send", this::begin, 10).start();
    await().until(() -> begun.size() == 1);
    assertThat(reactor.close(Duration.ofMillis(20))).isFalse();
    CompletableFuture<Boolean> closing = CompletableFuture.supplyAsync(() -> reactor.close(SOON));
    begun.get("m0").complete(ProcessResult.done());
    assertThat(closing.get()).isTrue();
    assertThat(subscriber.stats().acked()).isOne();
  }

  @Test
  void shouldBeTheLastOfItsChain() {
    assertThatThrownBy(
            () ->
                Reactor.builder(subscriber)
                    .asyncProcessor("send", this::begin, 10)
                    .processor(this::see))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("last");
    assertThatThrownBy(() -> Reactor.builder(subscriber).asyncProcessor("a", this::begin, 0))
        .isInstanceOf(ConfigurationException.class);
  }

  @Test
  void shouldRunInARoute() {
    publish(2);
    Selector<String> selector = Selector.create();
    BatchProcessor<String> async =
        BatchProcessor.ofAsync(d -> CompletableFuture.completedFuture(see(d)), 2);
    selector.route(d -> d.data().equals("m0"), "async", async);
    try (Reactor<String> reactor =
        Reactor.builder(subscriber).select(selector.otherwise("other", this::see)).start()) {
      awaitDrained();
      assertThat(seen).containsExactlyInAnyOrder("m0", "m1");
      await().until(() -> reactor.stats().finished() == 2);
    }
  }

  @Test
  void shouldCloseInTimeOnSeveralThreads() throws Exception {
    publish(1);
    Reactor<String> reactor =
        Reactor.builder(subscriber).asyncProcessor("send", this::begin, 10).start();
    await().until(() -> begun.size() == 1);
    assertThat(reactor.close(Duration.ofMillis(20))).isFalse();
    List<Boolean> inTime = new CopyOnWriteArrayList<>();
    List<Thread> closers =
        Stream.generate(() -> new Thread(() -> inTime.add(reactor.close(SOON)))).limit(2).toList();
    closers.forEach(Thread::start);
    await().until(() -> closers.stream().allMatch(c -> c.getState() == State.TIMED_WAITING));
    begun.get("m0").complete(ProcessResult.done());
    for (Thread each : closers) {
      each.join(SOON.toMillis() / 2);
    }
    assertThat(inTime).containsExactly(true, true);
  }

  @Test
  void shouldLetOthersBeginInPlaceOfAStageThatDoesNotComplete() {
    publish(3);
    ManualTimeSource time = new ManualTimeSource(Instant.EPOCH);
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .timeSource(time)
            .timeLimit(Duration.ofSeconds(10))
            .asyncProcessor("send", this::begin, 1)
            .start()) {
      await().until(() -> begun.containsKey("m0"));
      time.advance(Duration.ofSeconds(11));
      await().until(() -> begun.containsKey("m1"));
      await().until(() -> reactor.stats().stuck() == 2); // the thread waited, too
      begun.get("m0").complete(ProcessResult.done()); // late, and it still counts
      await().until(() -> reactor.stats().finished() == 1);
      assertThat(begun).doesNotContainKey("m2"); // one at once, again
      begun.get("m1").complete(ProcessResult.done());
      await().until(() -> begun.containsKey("m2"));
      begun.get("m2").complete(ProcessResult.done());
    }
    assertThat(subscriber.stats().lag()).isZero();
  }

  @Test
  void shouldWaitForAStuckStageWhereTheOrderOfSequencesIsKept() {
    publish(2);
    ManualTimeSource time = new ManualTimeSource(Instant.EPOCH);
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .orderBy(Order.SEQUENCE)
            .timeSource(time)
            .timeLimit(Duration.ofMillis(200))
            .asyncProcessor("send", this::begin, 1)
            .start()) {
      await().until(() -> begun.containsKey("m0"));
      time.advance(Duration.ofSeconds(11));
      await().until(() -> reactor.stats().stuck() == 2); // the thread waits, too
      assertThat(begun).doesNotContainKey("m1");
      begun.get("m0").complete(ProcessResult.done());
      await().until(() -> begun.containsKey("m1"));
      begun.get("m1").complete(ProcessResult.done());
    }
  }

  @Test
  void shouldBeWaitedForWithinAnotherProcessor() throws Exception {
    publish(1);
    BatchProcessor<String> async = BatchProcessor.ofAsync(this::begin, 10);
    Reactor<String> reactor =
        Reactor.builder(subscriber)
            .batchProcessor("retry", RetryProcessor.aroundBatches(async).build())
            .start();
    await().until(() -> begun.size() == 1);
    assertThat(reactor.close(Duration.ofMillis(20))).isFalse();
    CompletableFuture<Boolean> closing = CompletableFuture.supplyAsync(() -> reactor.close(SOON));
    begun.get("m0").complete(ProcessResult.done());
    assertThat(closing.get()).isTrue();
    assertThat(subscriber.stats().acked()).isOne();
  }

  /** A client that must not be closed while it sends. */
  private final class Client implements AsyncProcessor<String>, AutoCloseable {
    private volatile boolean closed;

    @Override
    public CompletionStage<ProcessResult<String>> process(Delivery<String> delivery) {
      return begin(delivery);
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  @Test
  void shouldNotCloseAProcessorBeforeAStageThatIsStuck() {
    publish(1);
    Client client = new Client();
    ManualTimeSource time = new ManualTimeSource(Instant.EPOCH);
    Reactor<String> reactor =
        Reactor.builder(subscriber)
            .timeSource(time)
            .timeLimit(Duration.ofMillis(200))
            .asyncProcessor("send", client, 10)
            .start();
    await().until(() -> begun.containsKey("m0"));
    time.advance(Duration.ofSeconds(11));
    await().until(() -> reactor.stats().stuck() == 1);
    assertThat(reactor.close(Duration.ofMillis(20))).isFalse();
    assertThat(client.closed).isFalse();
    begun.get("m0").complete(ProcessResult.done());
    assertThat(reactor.close(SOON)).isTrue();
    assertThat(subscriber.stats().acked()).isOne();
  }

  @Test
  void shouldCloseAProcessorByALaterCallWhereAStageTookTooLongForTheFirst() {
    publish(1);
    Client client = new Client();
    Reactor<String> reactor =
        Reactor.builder(subscriber).asyncProcessor("send", client, 10).start();
    await().until(() -> begun.containsKey("m0"));
    assertThat(reactor.close(Duration.ofMillis(20))).isFalse();
    assertThat(client.closed).isFalse();
    begun.get("m0").complete(ProcessResult.done());
    assertThat(reactor.close(SOON)).isTrue();
    assertThat(client.closed).isTrue();
  }

  @Test
  void shouldNotCloseAProcessorBeforeAStageForWhichAnInterruptedThreadWaited() {
    publish(2);
    Client client = new Client();
    Reactor<String> reactor = Reactor.builder(subscriber).asyncProcessor("send", client, 1).start();
    await().until(() -> begun.containsKey("m0"));
    assertThat(reactor.close(Duration.ofMillis(20))).isFalse();
    assertThat(client.closed).isFalse();
    begun.get("m0").complete(ProcessResult.done());
    assertThat(reactor.close(SOON)).isTrue();
    assertThat(client.closed).isTrue();
    assertThat(subscriber.stats().lag()).isOne();
  }

  @Test
  void shouldRunInEachReactorOfOneBuilder() {
    Reactor.Builder<String> builder =
        Reactor.builder(subscriber)
            .asyncProcessor("send", d -> CompletableFuture.completedFuture(see(d)), 10);
    assertThat(builder.start().close(SOON)).isTrue();
    publish(1);
    try (Reactor<String> again = builder.start()) {
      awaitDrained();
      assertThat(again.stats().released()).isZero();
    }
  }

  @Test
  void shouldRunInARouteOfSeveralReactorsAtOnce() {
    BatchProcessor<String> async =
        BatchProcessor.ofAsync(d -> CompletableFuture.completedFuture(see(d)), 1);
    Selector<String> selector = Selector.create();
    selector.route(d -> true, "a", async);
    Subscriber<String> other = subscriber("other");
    try (Reactor<String> first = Reactor.builder(subscriber).batchProcessor("a", async).start();
        Reactor<String> second = Reactor.builder(other).select(selector).start()) {
      publish(3);
      awaitDrained();
      awaitDrained(other);
      await().until(() -> first.stats().finished() == 3);
      await().until(() -> second.stats().finished() == 3);
    }
  }

  @Test
  void shouldRunWithinAnotherProcessorInOneReactorAtATime() {
    Client client = new Client();
    BatchProcessor<String> retry =
        RetryProcessor.aroundBatches(BatchProcessor.ofAsync(client, 10)).build();
    Reactor.Builder<String> other =
        Reactor.builder(subscriber("other")).batchProcessor("retry", retry);
    try (Reactor<String> reactor =
        Reactor.builder(subscriber).batchProcessor("retry", retry).start()) {
      assertThatThrownBy(other::start)
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("the reactor of other")
          .hasMessageContaining("in a reactor already");
      assertThat(client.closed).isFalse();
      publish(1);
      await().until(() -> begun.containsKey("m0"));
      begun.remove("m0").complete(ProcessResult.done());
      await().until(() -> reactor.stats().finished() == 1);
    }
    assertThat(client.closed).isTrue();
    try (Reactor<String> reactor = other.start()) {
      await().until(() -> begun.containsKey("m0"));
      begun.get("m0").complete(ProcessResult.done());
      await().until(() -> reactor.stats().finished() == 1);
    }
  }

  /** Cannot start at first. */
  private final class StartsLater implements Processor<String>, ReactorAware<String> {
    private boolean tried;

    @Override
    public void startIn(ReactorContext<String> reactor) {
      if (!tried) {
        tried = true;
        throw new IllegalStateException("not yet");
      }
    }

    @Override
    public ProcessResult<String> process(Delivery<String> delivery) {
      return see(delivery);
    }
  }

  @Test
  void shouldRunWithinAnotherProcessorAfterAReactorThatCouldNotStart() {
    BatchProcessor<String> async =
        BatchProcessor.ofAsync(d -> CompletableFuture.completedFuture(see(d)), 1);
    Selector<String> selector = Selector.create();
    selector.route(
        d -> d.data().equals("m0"), "retry", RetryProcessor.aroundBatches(async).build());
    Reactor.Builder<String> builder =
        Reactor.builder(subscriber).select(selector.otherwise("later", new StartsLater()));
    assertThatThrownBy(builder::start).hasMessage("not yet");
    publish(2);
    try (Reactor<String> reactor = builder.start()) {
      await().until(() -> reactor.stats().finished() == 2);
    }
    assertThat(seen).containsExactlyInAnyOrder("m0", "m1");
  }
}
