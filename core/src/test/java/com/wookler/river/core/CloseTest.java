package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.MonitoredThread;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.WorkerPool;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.StaleReceiptException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Closing and interrupts, while everything is under way. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CloseTest {
  private static final int ROUNDS = Integer.getInteger("river.close.rounds", 4);
  private static final Duration BOUND = Duration.ofSeconds(60);

  @TempDir Path directory;

  private final Queue<Throwable> unexpected = new ConcurrentLinkedQueue<>();
  private final List<Thread> threads = new ArrayList<>();

  private interface Step {
    void run(long turn) throws Exception;
  }

  /** Repeats a step on a thread of its own until it says that the queue is closed. */
  private Thread untilClosed(String name, Step step) {
    Thread thread =
        new MonitoredThread(
            name,
            () -> {
              try {
                for (long turn = 0; ; turn++) {
                  step.run(turn);
                }
              } catch (QueueClosedException e) {
                // as it should
              } catch (Throwable e) {
                unexpected.add(new AssertionError(name, e));
              }
            });
    threads.add(thread);
    thread.start();
    return thread;
  }

  private void joinAll() throws InterruptedException {
    for (Thread thread : threads) {
      thread.join(BOUND.toMillis());
      assertThat(thread.isAlive()).as("%s has ended", thread.getName()).isFalse();
    }
    threads.clear();
    assertThat(unexpected).isEmpty();
  }

  private MessageQueue.Builder<String> builder() {
    return MessageQueue.builder("close", MessageConverter.utf8())
        .directory(directory)
        .maxMessageBytes(64 << 10)
        .blockBytes(256 << 10)
        .recycle(SizeBasedRecycle.ofMessages(200))
        .keyIndex(true)
        .backup(directory.resolve("backup"), Duration.ZERO);
  }

  private static SubscriberConfig withAck(String name) {
    return SubscriberConfig.builder(name).ack(true).build();
  }

  @Test
  void shouldRefuseOrCompleteEveryCallUnderWay() throws Exception {
    SplittableRandom random = new SplittableRandom(42);
    Set<String> published = new HashSet<>();
    Set<String> found = new HashSet<>();
    for (int round = 0; round < ROUNDS; round++) {
      MessageQueue<String> queue = builder().open();
      queue.subscriber("keeper"); // so that nothing is lost that is not looked at below
      Queue<String> returned = new ConcurrentLinkedQueue<>();
      startEverything(queue, round, returned);
      park(5 + random.nextInt(40));
      close(queue);
      joinAll();
      published.addAll(returned);
      try (MessageQueue<String> again = builder().open()) {
        Subscriber<String> keeper = again.subscriber("keeper");
        for (Delivery<String> next = keeper.next(); next != null; next = keeper.next()) {
          assertThat(found.add(next.data())).as("twice: %s", next.data()).isTrue();
        }
      }
      assertThat(found.containsAll(published)).as("all of round %s is there", round).isTrue();
    }
  }

  private void startEverything(MessageQueue<String> queue, int round, Queue<String> returned) {
    for (int i = 0; i < 4; i++) {
      String name = "publisher-" + i;
      untilClosed(name, turn -> publish(queue, round + " " + name + " " + turn, turn, returned));
    }
    Subscriber<String> billing = queue.subscriber(withAck("billing"));
    untilClosed("next", turn -> ack(billing, billing.next(Duration.ofMinutes(1))));
    untilClosed("batch", turn -> ackAll(billing));
    untilClosed("give back", turn -> giveBack(billing.next(Duration.ofMinutes(1))));
    Subscriber<String> idle =
        queue.subscriber(SubscriberConfig.builder("idle").start(Position.latest()).build());
    untilClosed("wait", turn -> idle.batch(1_000, Duration.ofMinutes(1)));
    Subscriber<String> seeker = queue.subscriber("seeker");
    untilClosed("seek", turn -> seek(seeker, turn));
    untilClosed("read", turn -> queue.read(turn % 5_000));
    untilClosed("find", turn -> queue.sequenceAt(Instant.now().minusMillis(turn % 100)));
    untilClosed("latest", turn -> queue.latest("key " + turn % 100));
    untilClosed("stats", turn -> stats(queue));
    untilClosed("force", turn -> queue.force());
    untilClosed("open and close", turn -> openAndClose(queue, turn));
  }

  private static void publish(
      MessageQueue<String> queue, String text, long turn, Queue<String> returned) {
    if (turn % 5 > 0) {
      Durability level = turn % 20 == 1 ? Durability.DISK : Durability.MEMORY;
      queue.publisher().put(Message.of(text), level);
      returned.add(text);
      return;
    }
    List<String> batch = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      batch.add(text + " " + i);
    }
    queue.publisher().publishAll(batch);
    returned.addAll(batch);
  }

  private static void ack(Subscriber<String> from, Delivery<String> delivery) {
    if (delivery != null) {
      try {
        from.ackUpTo(delivery);
        delivery.ack();
      } catch (StaleReceiptException e) {
        // as above
      }
    }
  }

  private static void ackAll(Subscriber<String> from) throws InterruptedException {
    try {
      from.ack(from.batch(50, Duration.ofMinutes(1)));
    } catch (StaleReceiptException e) {
      // another consumer has finished everything up to a later one
    }
  }

  private static void giveBack(Delivery<String> delivery) {
    if (delivery != null) {
      try {
        delivery.extend(Duration.ofSeconds(30));
        delivery.nack(Duration.ofMillis(1));
      } catch (StaleReceiptException e) {
        // another consumer has finished everything up to a later one
      }
    }
  }

  private static void seek(Subscriber<String> subscriber, long turn) {
    subscriber.seek(
        turn % 2 == 0 ? Position.time(Instant.now().minusMillis(turn % 50)) : Position.earliest());
    subscriber.next();
    if (turn % 10 == 0) {
      subscriber.purge();
    }
  }

  private static void stats(MessageQueue<String> queue) {
    queue.stats();
    queue.subscribers().forEach(Subscriber::stats);
  }

  private static void openAndClose(MessageQueue<String> queue, long turn) {
    String name = "short-" + turn % 3;
    Subscriber<String> subscriber = queue.subscriber(withAck(name));
    subscriber.next();
    if (turn % 2 == 0) {
      subscriber.close();
    } else {
      queue.removeSubscriber(name);
    }
  }

  private static void close(MessageQueue<String> queue) {
    long started = TimeSource.system().nanoTime();
    queue.close();
    assertThat(Duration.ofNanos(TimeSource.system().nanoTime() - started)).isLessThan(BOUND);
  }

  private void park(int millis) {
    long end = TimeSource.system().nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    for (long left = 1; left > 0; left = end - TimeSource.system().nanoTime()) {
      TimeSource.system().park(this, left);
    }
  }

  @Test
  void shouldCloseASubscriberUnderItsConsumers() throws Exception {
    Queue<Long> sequences = new ConcurrentLinkedQueue<>();
    long published = 0;
    try (MessageQueue<String> queue = builder().open()) {
      for (int round = 0; round < ROUNDS; round++) {
        Subscriber<String> audit = queue.subscriber("audit");
        Subscriber<String> billing = queue.subscriber(withAck("billing"));
        for (int i = 0; i < 3; i++) {
          untilClosed("audit " + i, turn -> take(audit, sequences));
          untilClosed("billing " + i, turn -> ackUnlessClosed(billing));
        }
        for (int i = 0; i < 200; i++) {
          queue.publisher().publish("m" + published++);
        }
        if (round % 2 == 0) {
          park(3);
        }
        untilClosed("close too", turn -> closeOnce(audit));
        audit.close();
        billing.close();
        joinAll();
      }
      Subscriber<String> billing = queue.subscriber(withAck("billing"));
      for (Delivery<String> next = billing.next(); next != null; next = billing.next()) {
        next.ack();
      }
      assertThat(billing.stats().lag()).isZero();
      assertThat(billing.stats().ackFloor()).isEqualTo(published);
      Subscriber<String> audit = queue.subscriber("audit");
      for (Delivery<String> next = audit.next(); next != null; next = audit.next()) {
        sequences.add(next.sequence());
      }
    }
    assertThat(sequences).doesNotHaveDuplicates().hasSize((int) published);
  }

  /** Both threads of the pool in listeners, say, one of which opens a subscriber. */
  @Test
  void shouldHoldNoLockWhileItWaitsForASubscriberToBeClosed() throws Exception {
    CountDownLatch free = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    CompletableFuture<String> opened = new CompletableFuture<>();
    WorkerPool pool = WorkerPool.acquire("worker", 2);
    try (MessageQueue<String> queue = builder().open()) {
      Subscriber<String> billing = queue.subscriber(withAck("billing"));
      queue.publisher().publish("m");
      billing.next().reject("no"); // its dead letters are a queue, the end of which waits for pools
      pool.serial("first").execute(() -> await(free));
      pool.serial("second")
          .execute(
              () -> {
                await(go);
                opened.complete(queue.subscriber("other").name());
              });
      Thread closing = untilClosed("closing", turn -> closeOnce(billing));
      Awaitility.await().until(() -> closing.getState() == Thread.State.WAITING);
      Thread again = untilClosed("again", turn -> closeOnce(queue.subscriber(withAck("billing"))));
      Awaitility.await().until(() -> again.getState() == Thread.State.WAITING);
      go.countDown();
      assertThat(opened.get(60, TimeUnit.SECONDS)).isEqualTo("other");
      free.countDown();
      joinAll();
    } finally {
      free.countDown();
      pool.release();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void take(Subscriber<String> from, Queue<Long> sequences) throws Exception {
    for (Delivery<String> delivery : from.batch(10, Duration.ofMinutes(1))) {
      sequences.add(delivery.sequence());
    }
  }

  private static void ack(Delivery<String> delivery) {
    if (delivery != null) {
      delivery.ack();
    }
  }

  /**
   * Takes a message and acknowledges it; only the close of the subscriber may void it meanwhile.
   */
  private static void ackUnlessClosed(Subscriber<String> from) throws Exception {
    Delivery<String> delivery = from.next(Duration.ofMinutes(1));
    try {
      ack(delivery);
    } catch (StaleReceiptException e) {
      assertThatThrownBy(from::next).isInstanceOf(QueueClosedException.class);
    }
  }

  private static void closeOnce(Subscriber<String> subscriber) {
    subscriber.close();
    throw new QueueClosedException("enough");
  }

  @Test
  void shouldCompleteEveryCallOfAnInterruptedThreadAndKeepItsFlag() {
    Thread self = Thread.currentThread();
    self.interrupt();
    try (MessageQueue<String> queue = builder().open()) {
      expectFlag("open");
      Subscriber<String> billing = queue.subscriber(withAck("billing"));
      Subscriber<String> audit = queue.subscriber("audit");
      expectFlag("subscriber");
      for (int i = 0; i < 1_000; i++) {
        self.interrupt();
        assertThat(queue.publisher().publish("m" + i)).isEqualTo(i);
        expectFlag("publish");
        assertThat(audit.next().data()).isEqualTo("m" + i);
        expectFlag("next");
        Delivery<String> delivery = billing.next();
        assertThat(delivery.sequence()).isEqualTo(i);
        delivery.nack(Duration.ZERO);
        expectFlag("nack");
        Delivery<String> again = billing.next();
        assertThat(again.sequence()).isEqualTo(i);
        assertThat(again.attempt()).isEqualTo(2);
        expectFlag("next, again");
        again.ack();
        expectFlag("ack");
      }
      expectLookUps(queue, 1_000);
      billing.seek(Position.time(Instant.EPOCH));
      expectFlag("seek");
      audit.close();
      expectFlag("close of a subscriber");
      queue.force();
      expectFlag("force");
      self.interrupt();
    }
    expectFlag("close");
    builder().open().close();
  }

  private static void expectLookUps(MessageQueue<String> queue, int messages) {
    for (int i = 0; i < messages; i += 10) {
      assertThat(queue.read(i).orElseThrow().data()).isEqualTo("m" + i);
      expectFlag("read");
    }
    assertThat(queue.sequenceAt(Instant.EPOCH)).hasValue(0);
    expectFlag("sequenceAt");
    assertThat(queue.stats().nextSequence()).isEqualTo(messages);
    expectFlag("stats");
  }

  /** The flag is set, and stays so. */
  private static void expectFlag(String after) {
    assertThat(Thread.currentThread().isInterrupted()).as("interrupted after %s", after).isTrue();
  }

  @Tag("full")
  @Test
  void shouldSurviveAStormOfInterrupts() throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    AtomicLong published = new AtomicLong();
    Queue<Long> audited = new ConcurrentLinkedQueue<>();
    try (MessageQueue<String> queue = builder().open()) {
      Subscriber<String> audit = queue.subscriber("audit");
      Subscriber<String> billing =
          queue.subscriber(
              SubscriberConfig.builder("billing")
                  .ack(true)
                  .ackTimeout(Duration.ofMillis(20))
                  .build());
      for (int i = 0; i < 3; i++) {
        untilClosed(
            "publisher " + i,
            turn -> {
              if (over.get()) {
                throw new QueueClosedException("enough");
              }
              queue.publisher().publish("m");
              published.incrementAndGet();
            });
      }
      untilClosed("audit", turn -> uninterrupted(() -> take(audit, audited), over));
      untilClosed("billing", turn -> uninterrupted(() -> ackSome(billing, turn), over));
      for (int i = 0; i < 500; i++) {
        park(1);
        threads.get(i % threads.size()).interrupt();
      }
      over.set(true);
      threads.forEach(Thread::interrupt); // who waits for more would do so for its whole timeout
      joinAll();
      assertThat(queue.stats().nextSequence()).isEqualTo(published.get());
      for (Delivery<String> next = audit.next(); next != null; next = audit.next()) {
        audited.add(next.sequence());
      }
      assertThat(audited).doesNotHaveDuplicates().hasSize((int) published.get());
    }
    try (MessageQueue<String> queue = builder().open()) {
      assertThat(queue.publisher().publish("last")).isEqualTo(published.get());
    }
  }

  private interface Waiting {
    void run() throws Exception;
  }

  private static void uninterrupted(Waiting call, AtomicBoolean over) throws Exception {
    if (over.get()) {
      throw new QueueClosedException("enough");
    }
    try {
      call.run();
    } catch (InterruptedException e) {
      // it comes out of waiting only; nothing was taken
    }
  }

  private static void ackSome(Subscriber<String> from, long turn) throws Exception {
    List<Delivery<String>> deliveries =
        turn % 3 == 0 ? from.batch(20, Duration.ofMillis(5)) : singly(from);
    if (turn % 4 > 0) {
      try {
        from.ack(deliveries);
      } catch (StaleReceiptException e) {
        // slower than 20 ms
      }
    }
  }

  private static List<Delivery<String>> singly(Subscriber<String> from) {
    Delivery<String> one = from.next();
    return one == null ? List.of() : List.of(one);
  }
}
