package com.wookler.river.reactor.processors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.reactor.Reactor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class BatchingProcessorTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final Duration SHORT = Duration.ofMillis(50);

  @TempDir Path directory;
  private MessageQueue<String> queue;
  private Subscriber<String> subscriber;
  private final List<List<String>> batches = Collections.synchronizedList(new ArrayList<>());

  @BeforeEach
  void open() {
    queue = MessageQueue.builder("batching", MessageConverter.utf8()).directory(directory).open();
    subscriber =
        queue.subscriber(
            SubscriberConfig.builder("bulk").ack(true).ackTimeout(Duration.ofHours(1)).build());
  }

  @AfterEach
  void close() {
    queue.close();
  }

  private void publish(int messages) {
    queue.publisher().publishAll(IntStream.range(0, messages).mapToObj(i -> "m" + i).toList());
  }

  private List<ProcessResult<String>> take(List<Delivery<String>> batch) {
    batches.add(batch.stream().map(Delivery::data).toList());
    return Collections.nCopies(batch.size(), ProcessResult.pass());
  }

  private Reactor<String> reactor(BatchingProcessor<String> bulk) {
    return Reactor.builder(subscriber).batchProcessor("bulk", bulk).start();
  }

  private void awaitDrained() {
    await().atMost(SOON).until(() -> subscriber.stats().lag() == 0);
  }

  @Test
  void shouldHandOverByNumber() {
    try (Reactor<String> reactor = reactor(new BatchingProcessor<>(this::take, 250, LONG))) {
      publish(1_000);
      awaitDrained();
      assertThat(batches).extracting(List::size).containsExactly(250, 250, 250, 250);
      assertThat(batches.get(3).get(249)).isEqualTo("m999");
      assertThat(reactor.stats().finished()).isEqualTo(1_000);
    }
  }

  @Test
  void shouldHandOverBySize() {
    try (Reactor<String> reactor =
        reactor(new BatchingProcessor<>(this::take, 1_000, LONG, 6, d -> d.data().length()))) {
      publish(9); // of two bytes each
      awaitDrained();
      assertThat(batches).extracting(List::size).containsExactly(3, 3, 3);
      assertThat(reactor.stats().finished()).isEqualTo(9);
    }
  }

  @Test
  void shouldHandOverWhenTheTimeIsOver() {
    try (Reactor<String> reactor = reactor(new BatchingProcessor<>(this::take, 1_000, SHORT))) {
      publish(3);
      awaitDrained();
      publish(2);
      awaitDrained();
      assertThat(batches).extracting(List::size).containsExactly(3, 2);
      assertThat(reactor.stats().finished()).isEqualTo(5);
    }
  }

  @Test
  void shouldAcknowledgeBehindTheBatchOnly() {
    try (Reactor<String> reactor = reactor(new BatchingProcessor<>(this::take, 10, LONG))) {
      publish(9);
      await().atMost(SOON).until(() -> subscriber.stats().inFlight() == 9);
      assertThat(subscriber.stats().acked()).isZero();
      publish(1);
      awaitDrained();
      assertThat(reactor.stats().finished()).isEqualTo(10);
    }
  }

  @Test
  void shouldGiveBackWhatIsCollectedWhenItIsClosed() throws InterruptedException {
    try (Reactor<String> reactor = reactor(new BatchingProcessor<>(this::take, 10, LONG))) {
      publish(4);
      await().atMost(SOON).until(() -> subscriber.stats().inFlight() == 4);
      assertThat(reactor.close(SOON)).isTrue();
    }
    assertThat(batches).isEmpty();
    assertThat(subscriber.batch(10, SOON))
        .extracting(d -> d.data() + "#" + d.attempt())
        .containsExactly("m0#1", "m1#1", "m2#1", "m3#1");
  }

  @Test
  void shouldDeliverABatchAgainOverWhichItsProcessorThrew() {
    AtomicBoolean thrown = new AtomicBoolean();
    try (Reactor<String> reactor =
        reactor(
            new BatchingProcessor<>(
                batch -> {
                  if (!thrown.getAndSet(true)) {
                    throw new AssertionError("made by the test");
                  }
                  return take(batch);
                },
                5,
                SHORT))) {
      publish(5);
      awaitDrained();
      assertThat(batches).containsExactly(List.of("m0", "m1", "m2", "m3", "m4"));
      assertThat(reactor.stats().failed()).isEqualTo(5);
      assertThat(reactor.stats().finished()).isEqualTo(5);
    }
  }

  @Test
  void shouldHandOverOneBatchAfterTheOtherAndLoseNoneWithManyThreads() {
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .threads(4)
            .batchSize(7)
            .batchProcessor(
                "bulk",
                new BatchingProcessor<String>(
                    batch -> {
                      most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                      List<ProcessResult<String>> results = take(batch);
                      inside.decrementAndGet();
                      return results;
                    },
                    100,
                    Duration.ofMillis(2)))
            .start()) {
      publish(5_000);
      awaitDrained();
      assertThat(reactor.stats().finished()).isEqualTo(5_000);
    }
    assertThat(most).hasValue(1);
    assertThat(batches.stream().flatMap(List::stream)).hasSize(5_000).doesNotHaveDuplicates();
    assertThat(batches).allMatch(batch -> batch.size() <= 100);
  }

  @Test
  void shouldRefuseToCollectForLongerThanMessagesAreLeftToIt() {
    assertThatThrownBy(() -> reactor(new BatchingProcessor<>(this::take, 10, Duration.ofHours(2))))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("batch.wait");
    assertThatThrownBy(() -> reactor(new BatchingProcessor<>(this::take, 20_000, SHORT)))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("may be in flight");
    Subscriber<String> strict =
        queue.subscriber(SubscriberConfig.builder("strict").ack(true).order(Order.STRICT).build());
    assertThatThrownBy(
            () ->
                Reactor.builder(strict)
                    .batchProcessor("bulk", new BatchingProcessor<>(this::take, 2, SHORT))
                    .start())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("only 1 may be in flight");
    Subscriber<String> careless = queue.subscriber("careless");
    assertThatThrownBy(
            () ->
                Reactor.builder(careless)
                    .batchProcessor("bulk", new BatchingProcessor<>(this::take, 10, SHORT))
                    .start())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("acknowledgement");
  }

  @Test
  void shouldBeClosedThoughABatchIsStuckThatItsTimeHasHandedOver() throws InterruptedException {
    CountDownLatch stuck = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    Reactor<String> reactor =
        reactor(
            new BatchingProcessor<>(
                batch -> {
                  stuck.countDown();
                  try {
                    new CountDownLatch(1).await();
                    return take(batch);
                  } finally {
                    interrupted.countDown();
                  }
                },
                100,
                SHORT));
    publish(2);
    stuck.await();
    assertThat(reactor.close(Duration.ofMillis(50))).isFalse();
    interrupted.await();
    assertThat(subscriber.batch(10, SOON))
        .extracting(d -> d.data() + "#" + d.attempt())
        .containsExactly("m0#2", "m1#2");
  }

  @Test
  void shouldLeaveAProcessorAloneThatAnInterruptDoesNotEnd() {
    Semaphore stuck = new Semaphore(0);
    Semaphore free = new Semaphore(0);
    Reactor<String> reactor =
        reactor(
            new BatchingProcessor<>(
                batch -> {
                  stuck.release();
                  free.acquireUninterruptibly();
                  return take(batch);
                },
                100,
                SHORT));
    publish(2);
    stuck.acquireUninterruptibly();
    assertThat(reactor.close(Duration.ofMillis(50))).isFalse();
    assertThat(reactor.isRunning()).isFalse();
    free.release();
    await().atMost(SOON).until(() -> batches.size() == 1);
  }

  @Test
  void shouldReportABatchThatIsStuckThoughItsTimeHasHandedItOver() {
    CountDownLatch free = new CountDownLatch(1);
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .timeLimit(Duration.ofMillis(100))
            .batchProcessor(
                "bulk",
                new BatchingProcessor<String>(
                    batch -> {
                      free.await();
                      return take(batch);
                    },
                    100,
                    SHORT))
            .start()) {
      publish(2);
      await().atMost(SOON).until(() -> reactor.stats().stuck() == 1);
      free.countDown();
      awaitDrained();
      assertThat(batches).hasSize(1);
    }
  }

  @Test
  void shouldGiveBackWhatComesWhenItIsClosed() throws InterruptedException {
    AtomicReference<Reactor<String>> own = new AtomicReference<>();
    CountDownLatch started = new CountDownLatch(1);
    own.set(
        Reactor.builder(subscriber)
            .processor(
                d -> {
                  started.await();
                  own.get().close();
                  return ProcessResult.pass();
                })
            .batchProcessor("bulk", new BatchingProcessor<>(this::take, 10, LONG))
            .start());
    publish(1);
    started.countDown();
    await().atMost(SOON).until(() -> own.get().stats().released() == 1);
    assertThat(subscriber.batch(10, SOON)).extracting(Delivery::attempt).containsExactly(1);
  }

  @Test
  void shouldStartNoThreadForATimeThatNumbersWereFasterThan() {
    long before = new Thread().getId();
    try (Reactor<String> reactor =
        reactor(new BatchingProcessor<>(this::take, 10, Duration.ofMillis(300)))) {
      publish(1_000);
      awaitDrained();
      publish(1); // whose time comes after that of all before it
      awaitDrained();
      assertThat(batches).hasSize(101);
      assertThat(reactor.stats().finished()).isEqualTo(1_001);
    }
    assertThat(new Thread().getId() - before).isLessThan(50); // threads that were made meanwhile
  }
}
