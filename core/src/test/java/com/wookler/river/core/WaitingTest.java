package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Consumers that wait, and several that share one subscriber. */
@Timeout(120)
class WaitingTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final Duration SHORT = Duration.ofMillis(200);

  /** Far less than LONG, far more than it takes. */
  private static final Duration PROMPT = Duration.ofSeconds(5);

  @TempDir Path directory;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Set<Thread> polling = ConcurrentHashMap.newKeySet();
  private MessageQueue<String> queue;

  @AfterEach
  void close() {
    threads.shutdownNow();
    if (queue != null) {
      queue.close();
    }
  }

  private MessageQueue.Builder<String> builder() {
    return MessageQueue.builder("orders", MessageConverter.utf8()).directory(directory);
  }

  private static SubscriberConfig.Builder billing() {
    return SubscriberConfig.builder("billing").ack(true);
  }

  /** Runs a poll on another thread and returns once that thread waits in it. */
  private <T> Future<T> waits(Callable<T> poll) {
    CompletableFuture<Thread> thread = new CompletableFuture<>();
    Future<T> future =
        threads.submit(
            () -> {
              polling.add(Thread.currentThread());
              thread.complete(Thread.currentThread());
              try {
                return poll.call();
              } finally {
                polling.remove(Thread.currentThread());
              }
            });
    await()
        .pollInterval(Duration.ofMillis(2))
        .until(() -> thread.join().getState() == Thread.State.TIMED_WAITING);
    return future;
  }

  private static <T> T prompt(Future<T> future) throws Exception {
    return future.get(PROMPT.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Test
  void shouldWakeAWaitingConsumerAtAPublish() throws Exception {
    queue = builder().open();
    Subscriber<String> audit = queue.subscriber("audit");
    List<Long> took = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      Future<Long> at =
          waits(
              () -> {
                audit.next(LONG);
                return System.nanoTime();
              });
      long published = System.nanoTime();
      queue.publisher().publish("m" + i);
      took.add(prompt(at) - published);
    }
    assertThat(took).allMatch(nanos -> nanos < TimeUnit.SECONDS.toNanos(1));
  }

  @Test
  void shouldReturnNullWhenTheTimeIsOver() throws Exception {
    queue = builder().open();
    long started = System.nanoTime();
    assertThat(queue.subscriber("audit").next(Duration.ofMillis(100))).isNull();
    assertThat(System.nanoTime() - started).isGreaterThanOrEqualTo(100_000_000L);
    assertThat(queue.subscriber("audit").next(Duration.ofSeconds(-1))).isNull();
    assertThat(queue.subscriber("audit").batch(3, Duration.ZERO)).isEmpty();
  }

  @Test
  void shouldRedeliverOnAnIdleQueueToTheConsumerThatWaits() throws Exception {
    queue = builder().open();
    queue.publisher().publish("m0");
    Subscriber<String> subscriber = queue.subscriber(billing().ackTimeout(SHORT).build());
    long started = System.nanoTime();
    assertThat(subscriber.next(LONG).attempt()).isEqualTo(1);
    Delivery<String> again = subscriber.next(LONG);
    assertThat(again.attempt()).isEqualTo(2);
    assertThat(System.nanoTime() - started)
        .isBetween(SHORT.toNanos() - 1_000_000, PROMPT.toNanos());
  }

  @Test
  void shouldTellAConsumerThatWaitedBeforeOfTheTimeoutOfWhatAnotherTook() throws Exception {
    queue = builder().open();
    Subscriber<String> subscriber = queue.subscriber(billing().ackTimeout(SHORT).build());
    Future<Delivery<String>> one = waits(() -> subscriber.next(LONG));
    Future<Delivery<String>> other = waits(() -> subscriber.next(LONG));
    queue.publisher().publish("m0");
    List<Integer> attempts = List.of(prompt(one).attempt(), prompt(other).attempt());
    assertThat(attempts).containsExactlyInAnyOrder(1, 2);
  }

  @Test
  void shouldTellAConsumerThatWaitsOfTheTimeoutOfWhatAPollTook() throws Exception {
    queue = builder().open();
    Subscriber<String> subscriber = queue.subscriber(billing().ackTimeout(SHORT).build());
    subscriber.pause(); // so that the poll below gets the message, not the waiting consumer
    Future<Delivery<String>> waits = waits(() -> subscriber.next(LONG));
    queue.publisher().publish("m0");
    subscriber.resume();
    Delivery<String> polled = subscriber.next();
    Delivery<String> waited = prompt(waits);
    assertThat(waited.attempt()).isEqualTo(polled == null ? 1 : 2);
  }

  @Test
  void shouldWakeAWaitingConsumerWhenTheClockIsMoved() throws Exception {
    ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));
    queue = builder().timeSource(time).open();
    queue.publisher().publish("m0");
    Subscriber<String> subscriber =
        queue.subscriber(billing().ackTimeout(Duration.ofMinutes(1)).build());
    subscriber.next();
    Future<Delivery<String>> waits = waits(() -> subscriber.next(Duration.ofHours(1)));
    time.advance(Duration.ofSeconds(59));
    assertThat(waits).isNotDone();
    time.advance(Duration.ofSeconds(1));
    assertThat(prompt(waits).attempt()).isEqualTo(2);
    Future<Delivery<String>> nothing = waits(() -> subscriber.next(Duration.ofSeconds(10)));
    time.advance(Duration.ofSeconds(10));
    assertThat(prompt(nothing)).isNull();
  }

  @Test
  void shouldWakeAWaitingConsumerWhenSomethingIsGivenBack() throws Exception {
    queue = builder().open();
    queue.publisher().publish("m0");
    Subscriber<String> subscriber = queue.subscriber(billing().build());
    Delivery<String> out = subscriber.next();
    Future<Delivery<String>> waits = waits(() -> subscriber.next(LONG));
    out.release();
    Delivery<String> released = prompt(waits);
    assertThat(released.attempt()).isEqualTo(1);
    Future<Delivery<String>> later = waits(() -> subscriber.next(LONG));
    released.nack(SHORT);
    Delivery<String> delayed = prompt(later);
    assertThat(delayed.attempt()).isEqualTo(2);
    Future<Delivery<String>> sooner = waits(() -> subscriber.next(LONG));
    delayed.extend(SHORT);
    assertThat(prompt(sooner).attempt()).isEqualTo(3);
  }

  @Test
  void shouldWakeAWaitingConsumerWhenAnAckMakesRoom() throws Exception {
    queue = builder().open();
    Subscriber<String> subscriber = queue.subscriber(billing().maxInFlight(1).build());
    queue.publisher().publishAll(List.of("m0", "m1", "m2", "m3"));
    Delivery<String> out = subscriber.next();
    Future<Delivery<String>> waits = waits(() -> subscriber.next(LONG));
    out.ack();
    Delivery<String> second = prompt(waits);
    assertThat(second.sequence()).isEqualTo(1);
    Future<Delivery<String>> third = waits(() -> subscriber.next(LONG));
    subscriber.ack(List.of(second));
    assertThat(prompt(third).sequence()).isEqualTo(2);
    Future<Delivery<String>> fourth = waits(() -> subscriber.next(LONG));
    subscriber.ackUpTo(third.get());
    assertThat(prompt(fourth).sequence()).isEqualTo(3);
  }

  @Test
  void shouldWakeAWaitingConsumerWhenResumedOrMoved() throws Exception {
    queue = builder().open();
    queue.publisher().publish("m0");
    Subscriber<String> audit = queue.subscriber("audit");
    audit.pause();
    Future<Delivery<String>> paused = waits(() -> audit.next(LONG));
    audit.resume();
    assertThat(prompt(paused).sequence()).isZero();
    Future<Delivery<String>> atEnd = waits(() -> audit.next(LONG));
    audit.seek(Position.earliest());
    assertThat(prompt(atEnd).sequence()).isZero();
  }

  @Test
  void shouldHearOfPublishesAgainAfterAPause() throws Exception {
    queue = builder().open();
    Subscriber<String> audit = queue.subscriber("audit");
    audit.pause();
    Future<Delivery<String>> first = waits(() -> audit.next(LONG));
    queue.publisher().publish("m0");
    assertThat(first.isDone()).isFalse();
    audit.resume();
    assertThat(prompt(first).sequence()).isZero();
    Future<Delivery<String>> second = waits(() -> audit.next(LONG));
    queue.publisher().publish("m1");
    assertThat(prompt(second).sequence()).isEqualTo(1);
  }

  @Test
  void shouldHearOfPublishesAgainAfterItWasFull() throws Exception {
    queue = builder().open();
    Subscriber<String> billing =
        queue.subscriber(SubscriberConfig.builder("billing").ack(true).maxInFlight(1).build());
    queue.publisher().publish("m0");
    Delivery<String> held = billing.next();
    Future<Delivery<String>> waiting = waits(() -> billing.next(LONG));
    billing.ack(held); // nothing to wake for: the next publish must
    queue.publisher().publish("m1");
    assertThat(prompt(waiting).sequence()).isEqualTo(1);
  }

  @Test
  void shouldHearOfPublishesAgainAfterAPurge() throws Exception {
    queue = builder().open();
    Subscriber<String> billing =
        queue.subscriber(SubscriberConfig.builder("billing").ack(true).maxInFlight(1).build());
    queue.publisher().publish("m0");
    assertThat(billing.next()).isNotNull();
    Future<Delivery<String>> waiting = waits(() -> billing.next(LONG));
    billing.purge();
    queue.publisher().publish("m1");
    assertThat(prompt(waiting).sequence()).isEqualTo(1);
  }

  @Test
  void shouldTakeNothingWhenInterrupted() throws Exception {
    queue = builder().open();
    Subscriber<String> audit = queue.subscriber("audit");
    Future<Delivery<String>> waits = waits(() -> audit.next(LONG));
    polling.forEach(Thread::interrupt);
    assertThatThrownBy(() -> prompt(waits))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(InterruptedException.class);
    queue.publisher().publish("m0");
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> audit.next(LONG)).isInstanceOf(InterruptedException.class);
    assertThat(Thread.interrupted()).isFalse();
    assertThat(audit.next().sequence()).isZero();
  }

  @Test
  void shouldPublishAndPollOnInterruptedThreads() {
    queue = builder().recycle(SizeBasedRecycle.ofMessages(3)).open();
    Subscriber<String> audit = queue.subscriber("audit");
    try {
      for (int i = 0; i < 10; i++) {
        Thread.currentThread().interrupt();
        assertThat(queue.publisher().publish("m" + i)).isEqualTo(i);
        assertThat(audit.next().sequence()).isEqualTo(i);
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
      }
    } finally {
      Thread.interrupted();
    }
    assertThat(queue.publisher().publish("last")).isEqualTo(10);
    assertThat(audit.next().data()).isEqualTo("last");
  }

  @Test
  void shouldMoveOnInterruptedThreads() {
    queue = builder().open();
    Subscriber<String> audit = queue.subscriber("audit");
    Subscriber<String> subscriber = queue.subscriber(billing().build());
    queue.publisher().publishAll(List.of("m0", "m1"));
    subscriber.next().reject("a letter, which has to be settled first");
    Thread.currentThread().interrupt();
    try {
      for (Subscriber<String> one : List.of(audit, subscriber)) {
        one.purge();
        assertThat(one.next()).isNull();
        one.seek(Position.earliest());
        assertThat(one.next().data()).isEqualTo("m0");
      }
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
    queue.force(); // no file was closed by it
    audit.purge();
    subscriber.purge();
  }

  @Test
  void shouldBurnNoProcessorTimeWhileWaiting() throws Exception {
    queue = builder().open();
    queue.publisher().publish("m0");
    ThreadMXBean cpu = ManagementFactory.getThreadMXBean();
    Subscriber<String> subscriber = queue.subscriber(billing().build());
    subscriber.next(); // so that there is a timeout to wait for, too
    Future<Long> spent =
        waits(
            () -> {
              long before = cpu.getCurrentThreadCpuTime();
              assertThat(subscriber.next(Duration.ofSeconds(1))).isNull();
              return cpu.getCurrentThreadCpuTime() - before;
            });
    assertThat(prompt(spent)).isLessThan(TimeUnit.MILLISECONDS.toNanos(50));
  }

  @Test
  void shouldShareTheStreamBetweenCompetingConsumers() throws Exception {
    int messages = 100_000;
    int consumers = 4;
    queue = builder().recycle(SizeBasedRecycle.ofMessages(10_000)).open();
    Subscriber<String> subscriber = queue.subscriber(billing().build());
    List<Future<List<Long>>> taken = new ArrayList<>();
    for (int c = 0; c < consumers; c++) {
      boolean batches = c % 2 == 0;
      taken.add(threads.submit(() -> consume(subscriber, batches, messages)));
    }
    for (int i = 0; i < messages; i++) {
      queue.publisher().publish("m" + i);
    }
    BitSet seen = new BitSet(messages);
    for (Future<List<Long>> one : taken) {
      List<Long> sequences = one.get(60, TimeUnit.SECONDS);
      assertThat(sequences).isSorted();
      for (long sequence : sequences) {
        assertThat(seen.get((int) sequence)).as("sequence %s twice", sequence).isFalse();
        seen.set((int) sequence);
      }
    }
    assertThat(seen.cardinality()).isEqualTo(messages);
    assertThat(subscriber.stats().redelivered()).isZero();
    assertThat(subscriber.stats().lag()).isZero();
  }

  private static List<Long> consume(Subscriber<String> subscriber, boolean batches, int messages)
      throws InterruptedException {
    List<Long> sequences = new ArrayList<>();
    while (subscriber.stats().ackFloor() < messages) {
      List<Delivery<String>> some = new ArrayList<>();
      if (batches) {
        some.addAll(subscriber.batch(17, Duration.ofMillis(20)));
      } else {
        Delivery<String> one = subscriber.next(Duration.ofMillis(20));
        if (one != null) {
          some.add(one);
        }
      }
      for (Delivery<String> delivery : some) {
        assertThat(delivery.data()).isEqualTo("m" + delivery.sequence());
        sequences.add(delivery.sequence());
      }
      subscriber.ack(some);
    }
    return sequences;
  }

  @Test
  void shouldWakeAsManyConsumersAsABurstFeeds() throws Exception {
    queue = builder().open();
    Subscriber<String> audit = queue.subscriber("audit");
    List<Future<Delivery<String>>> all = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      all.add(waits(() -> audit.next(LONG)));
    }
    queue.publisher().publishAll(List.of("a", "b", "c", "d"));
    List<Long> sequences = new ArrayList<>();
    for (Future<Delivery<String>> one : all) {
      sequences.add(prompt(one).sequence());
    }
    assertThat(sequences).containsExactlyInAnyOrder(0L, 1L, 2L, 3L);
  }
}
