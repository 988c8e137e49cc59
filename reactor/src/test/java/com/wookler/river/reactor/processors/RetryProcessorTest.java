package com.wookler.river.reactor.processors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.reactor.BatchProcessor;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.reactor.Reactor;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class RetryProcessorTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final Duration SHORT = Duration.ofMillis(20);

  @TempDir Path directory;
  private MessageQueue<String> queue;
  private Subscriber<String> subscriber;
  private final List<String> arrived = Collections.synchronizedList(new ArrayList<>());
  private final AtomicInteger calls = new AtomicInteger();
  private volatile boolean away;

  @BeforeEach
  void open() {
    queue = MessageQueue.builder("retry", MessageConverter.utf8()).directory(directory).open();
    subscriber =
        queue.subscriber(SubscriberConfig.builder("forward").ack(true).maxDeliveries(2).build());
  }

  @AfterEach
  void close() {
    queue.close();
  }

  private void publish(int from, int to) {
    queue.publisher().publishAll(IntStream.range(from, to).mapToObj(i -> "m" + i).toList());
  }

  private static List<String> messages(int number) {
    return IntStream.range(0, number).mapToObj(i -> "m" + i).toList();
  }

  private ProcessResult<String> downstream(Delivery<String> delivery) throws IOException {
    calls.incrementAndGet();
    if (away) {
      throw new IOException("nobody there");
    }
    arrived.add(delivery.data() + (delivery.attempt() > 1 ? "#" + delivery.attempt() : ""));
    return ProcessResult.pass();
  }

  private static RetryProcessor.Builder<String> quick(RetryProcessor.Builder<String> builder) {
    return builder.failures(3).pause(SHORT).waitWhenAway(SHORT);
  }

  private Reactor<String> reactor(BatchProcessor<String> processor) {
    return Reactor.builder(subscriber).batchProcessor("forward", processor).start();
  }

  private void awaitDrained() {
    await().atMost(SOON).until(() -> subscriber.stats().lag() == 0);
  }

  @Test
  void shouldCatchUpInOrderWhenDownstreamIsBack() {
    away = true;
    RetryProcessor<String> retry = quick(RetryProcessor.around(this::downstream)).build();
    try (Reactor<String> reactor = reactor(retry)) {
      publish(0, 100);
      await().atMost(SOON).until(retry::isAway);
      publish(100, 200); // publishers notice nothing
      int before = calls.get();
      await().atMost(SOON).until(() -> calls.get() > before + 2);
      away = false;
      awaitDrained();
      assertThat(retry.isAway()).isFalse();
      assertThat(reactor.stats().failed()).isZero();
    }
    assertThat(arrived).containsExactlyElementsOf(messages(200)); // each at its first attempt
    assertThat(subscriber.stats().dead()).isZero();
  }

  @Test
  void shouldCallOnceInAWhileOnlyWhileDownstreamIsAway() {
    away = true;
    RetryProcessor<String> retry =
        RetryProcessor.around(this::downstream)
            .failures(2)
            .pause(Duration.ofMillis(1))
            .waitWhenAway(Duration.ofMinutes(10))
            .build();
    publish(0, 500);
    try (Reactor<String> reactor = reactor(retry)) {
      await().atMost(SOON).until(retry::isAway);
      // Stuck in nothing: it can be closed at once, and has tried no more than it had to.
      assertThat(reactor.close(SOON)).isTrue();
      assertThat(calls).hasValue(2);
    }
    assertThat(subscriber.stats().lag()).isEqualTo(500);
  }

  @Test
  void shouldLeaveAMessagesOwnFailureToTheSubscriber() {
    publish(0, 3);
    RetryProcessor<String> retry =
        quick(
                RetryProcessor.around(
                    d -> {
                      if (d.data().equals("m1")) {
                        throw new IllegalStateException("cannot be read");
                      }
                      return downstream(d);
                    }))
            .build();
    try (Reactor<String> reactor = reactor(retry)) {
      awaitDrained();
      assertThat(reactor.stats().failed()).isEqualTo(2); // maxDeliveries
      assertThat(retry.isAway()).isFalse();
    }
    assertThat(arrived).containsExactly("m0", "m2");
    assertThat(subscriber.deadLetters().size()).isEqualTo(1);
  }

  @Test
  void shouldTakeARequestToRetryForAnAbsence() {
    publish(0, 3);
    RetryProcessor<String> retry =
        quick(
                RetryProcessor.around(
                    d -> calls.incrementAndGet() < 5 ? ProcessResult.retry(SHORT) : downstream(d)))
            .build();
    try (Reactor<String> reactor = reactor(retry)) {
      awaitDrained();
      assertThat(reactor.stats().retried()).isZero();
    }
    assertThat(arrived).containsExactly("m0", "m1", "m2");
  }

  @Test
  void shouldHoldWholeBatchesBack() {
    publish(0, 150);
    AtomicInteger batches = new AtomicInteger();
    RetryProcessor<String> retry =
        quick(
                RetryProcessor.aroundBatches(
                    batch -> {
                      if (batches.incrementAndGet() % 2 == 1) {
                        throw new IOException("nobody there");
                      }
                      batch.forEach(d -> arrived.add(d.data()));
                      return Collections.nCopies(batch.size(), ProcessResult.<String>pass());
                    }))
            .failures(5)
            .build();
    try (Reactor<String> reactor = reactor(retry)) {
      awaitDrained();
      assertThat(reactor.stats().finished()).isEqualTo(150);
    }
    assertThat(arrived).containsExactlyElementsOf(messages(150));
  }

  @Test
  void shouldAskTheGivenPredicateWhoseFaultItIs() {
    publish(0, 2);
    RetryProcessor<String> retry =
        quick(
                RetryProcessor.around(
                    d -> {
                      if (calls.incrementAndGet() < 6) {
                        throw new IllegalStateException("the database is locked");
                      }
                      arrived.add(d.data());
                      return ProcessResult.pass();
                    }))
            .trips(e -> e instanceof IllegalStateException)
            .build();
    try (Reactor<String> reactor = reactor(retry)) {
      awaitDrained();
      assertThat(reactor.stats().failed()).isZero();
    }
    assertThat(arrived).containsExactly("m0", "m1");
  }

  @Test
  void shouldRefuseSettingsOutOfTheirRange() {
    assertThatThrownBy(() -> RetryProcessor.around(this::downstream).failures(0).build())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("breaker.failures");
    assertThatThrownBy(
            () -> RetryProcessor.around(this::downstream).waitWhenAway(Duration.ZERO).build())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("breaker.wait");
  }

  @Test
  void shouldGoOnThoughThePredicateThrowsAtTheOneCallThatIsTried() {
    RetryProcessor<String> retry =
        quick(
                RetryProcessor.<String>around(
                    d -> {
                      switch (calls.incrementAndGet()) {
                        case 1, 2, 3 -> throw new IOException("nobody there");
                        case 4 -> throw new IllegalStateException("no cause");
                        default -> arrived.add(d.data());
                      }
                      return ProcessResult.pass();
                    }))
            .trips(e -> e instanceof IOException || e.getCause().getMessage() != null)
            .build();
    publish(0, 3);
    try (Reactor<String> reactor = reactor(retry)) {
      awaitDrained();
      assertThat(arrived).containsExactlyInAnyOrderElementsOf(messages(3));
      assertThat(reactor.stats().failed()).isEqualTo(1);
      assertThat(retry.isAway()).isFalse();
    }
  }

  /** Answers by a stage, on another thread. */
  private RetryProcessor.Builder<String> aroundAsync() {
    return RetryProcessor.aroundBatches(
        BatchProcessor.ofAsync(
            delivery ->
                CompletableFuture.supplyAsync(
                    () -> {
                      try {
                        return downstream(delivery);
                      } catch (IOException e) {
                        throw new CompletionException(e);
                      }
                    }),
            1));
  }

  @Test
  void shouldCatchUpWhenWhatAnAsynchronousProcessorNeedsIsBack() {
    away = true;
    RetryProcessor<String> retry = quick(aroundAsync()).build();
    try (Reactor<String> reactor = reactor(retry)) {
      publish(0, 100);
      await().atMost(SOON).until(retry::isAway);
      int before = calls.get();
      await().atMost(SOON).until(() -> calls.get() > before + 2);
      away = false;
      awaitDrained();
      await().atMost(SOON).until(() -> !retry.isAway());
      assertThat(reactor.stats().failed()).isZero();
    }
    assertThat(arrived).containsExactlyInAnyOrderElementsOf(messages(100)); // at the first attempt
    assertThat(subscriber.stats().dead()).isZero();
  }

  @Test
  void shouldTryOneStageOnlyWhileDownstreamIsAway() {
    away = true;
    RetryProcessor<String> retry =
        aroundAsync()
            .failures(2)
            .pause(Duration.ofMillis(1))
            .waitWhenAway(Duration.ofMinutes(10))
            .build();
    publish(0, 500);
    try (Reactor<String> reactor = reactor(retry)) {
      await().atMost(SOON).until(retry::isAway);
      assertThat(reactor.close(SOON)).isTrue();
      assertThat(calls.get()).isBetween(2, 3); // one may have begun before the second one failed
    }
    assertThat(subscriber.stats().lag()).isEqualTo(500);
  }

  @Test
  void shouldTryAgainAfterAStageThatDoesNotComplete() {
    AtomicInteger begun = new AtomicInteger();
    List<CompletableFuture<ProcessResult<String>>> hanging =
        Collections.synchronizedList(new ArrayList<>());
    RetryProcessor<String> retry =
        RetryProcessor.aroundBatches(
                BatchProcessor.<String>ofAsync(
                    d -> {
                      int call = begun.incrementAndGet();
                      if (call == 1) {
                        return CompletableFuture.failedFuture(new IOException("away"));
                      }
                      CompletableFuture<ProcessResult<String>> stage = new CompletableFuture<>();
                      if (call == 2) {
                        hanging.add(stage);
                      } else {
                        stage.complete(ProcessResult.done());
                      }
                      return stage;
                    },
                    1))
            .failures(1)
            .waitWhenAway(SHORT)
            .build();
    publish(0, 2);
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .timeLimit(Duration.ofMillis(200))
            .batchProcessor("forward", retry)
            .start()) {
      await().atMost(SOON).until(() -> reactor.stats().finished() == 1);
      assertThat(reactor.stats().stuck()).isOne();
      hanging.get(0).complete(ProcessResult.done());
      awaitDrained();
    }
  }
}
