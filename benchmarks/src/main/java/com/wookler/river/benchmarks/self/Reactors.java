package com.wookler.river.benchmarks.self;

import com.wookler.river.benchmarks.harness.Context;
import com.wookler.river.benchmarks.harness.Latencies;
import com.wookler.river.benchmarks.harness.Rounds;
import com.wookler.river.benchmarks.harness.Suite;
import com.wookler.river.benchmarks.harness.Suite.Benchmark;
import com.wookler.river.benchmarks.harness.ThisJvm;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.reactor.Reactor;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * What a reactor costs where its processor does nothing, how soon it wakes, and what it costs while
 * there is nothing to do.
 */
public final class Reactors {
  private static final String TABLE = "reactor";
  private static final String ALONE = "batch(64) and ack";
  private static final int SIZE = 1_024;
  private static final Duration BETWEEN = Duration.ofMillis(3);
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** All of it, each benchmark in a JVM of its own. */
  public static final Suite SUITE =
      new Suite(
          TABLE,
          "An empty processor beside batch(64) with ack; waking up; idle reactors.",
          List.of(),
          new Suite.Jvm(true, "", 3),
          List.of(
              new Benchmark(
                  "throughput",
                  TABLE,
                  "1 KiB through an empty processor, beside batch(64) and ack",
                  Reactors::throughput),
              new Benchmark(
                  "wakes",
                  TABLE,
                  "how soon a reactor wakes, at rest and while its thread waits",
                  Reactors::wakes),
              new Benchmark(
                  "idle",
                  TABLE,
                  "the CPU time of the process with idle reactors",
                  Reactors::idle)));

  private Reactors() {}

  /** Takes all messages of a subscriber. */
  @FunctionalInterface
  private interface Way {
    void take(Subscriber<byte[]> subscriber) throws Exception;
  }

  private static MessageQueue<byte[]> open(Context context, Rounds rounds, String name) {
    return QueueWork.deleting(
        rounds,
        MessageQueue.builder(name, MessageConverter.bytes())
            .directory(Path.of(context.data()))
            .open());
  }

  private static SubscriberConfig latest(String name) {
    return QueueWork.acked(name).start(Position.latest()).build();
  }

  /** The same messages through batches with ack, and through a reactor with one thread, in turn. */
  private static void throughput(Context context, Rounds rounds) throws Exception {
    int count = context.count(1_000_000, 300);
    MessageQueue<byte[]> queue = open(context, rounds, "throughput");
    rounds.ofSystems(ALONE);
    rounds.add(
        ALONE,
        into -> take(queue, count, subscriber -> QueueWork.consume(subscriber, count, SIZE), into));
    rounds.add(
        Rounds.RIVER, into -> take(queue, count, subscriber -> byReactor(subscriber, count), into));
    rounds.run(1, 5);
  }

  private static void take(MessageQueue<byte[]> queue, int count, Way way, Rounds.Recorder into)
      throws Exception {
    try (Subscriber<byte[]> subscriber = queue.subscriber(latest("bench"))) {
      QueueWork.publish(queue, count, SIZE);
      long cpu = ThisJvm.cpuNanos();
      long start = System.nanoTime();
      way.take(subscriber);
      double rate = QueueWork.perSecond(count, start);
      double each = (ThisJvm.cpuNanos() - cpu) / 1e3 / count;
      into.add("1 KiB through an empty processor", "msg/s", rate, Map.of("CPU µs/msg", each));
    } finally {
      queue.removeSubscriber("bench");
    }
  }

  private static void byReactor(Subscriber<byte[]> subscriber, int count) {
    AtomicLong bytes = new AtomicLong(); // of one thread, and not contended
    try (Reactor<byte[]> reactor =
        Reactor.builder(subscriber)
            .batchSize(QueueWork.BATCH)
            .processor(
                "empty",
                delivery -> {
                  bytes.lazySet(bytes.get() + delivery.data().length);
                  return ProcessResult.done();
                })
            .start()) {
      while (reactor.stats().finished() < count) {
        LockSupport.parkNanos(200_000);
      }
    }
    ThisJvm.check(bytes.get() == (long) count * SIZE, bytes);
  }

  /**
   * How long a message takes from the publish to the processor of a reactor with nothing else to
   * do: of reactors at rest, without a thread, each on a queue of its own; and of one whose thread
   * still waits. Percentiles are those of all rounds together.
   */
  private static void wakes(Context context, Rounds rounds) throws Exception {
    BlockingQueue<Long> times = new LinkedBlockingQueue<>();
    List<MessageQueue<byte[]>> queues = new ArrayList<>();
    rounds.ofSystems(ALONE);
    for (int i = 0; i < context.count(40, 2); i++) {
      MessageQueue<byte[]> queue = open(context, rounds, "wake-" + i);
      queues.add(queue);
      Reactor<byte[]> reactor =
          Reactor.builder(queue.subscriber(latest("bench")))
              .processor(
                  "timed",
                  delivery -> {
                    times.add(System.nanoTime() - ByteBuffer.wrap(delivery.data()).getLong());
                    return ProcessResult.done();
                  })
              .start();
      rounds.closing(reactor::close);
    }
    List<Latencies> resting = new ArrayList<>();
    List<Latencies> waiting = new ArrayList<>();
    List<MessageQueue<byte[]>> one = Collections.nCopies(context.count(100, 3), queues.get(0));
    wake(queues, times); // the first round counts for nothing
    wake(one, times);
    for (int round = 0; round < context.rounds(10); round++) {
      ThisJvm.await(Reactors::noThreads, PATIENCE, "rest of all reactors");
      resting.add(wake(queues, times));
      waiting.add(wake(one, times));
    }
    add(rounds, "at rest", resting);
    add(rounds, "that waits", waiting);
  }

  private static void add(Rounds rounds, String which, List<Latencies> all) {
    Latencies sum = new Latencies();
    all.forEach(sum::add);
    Map<String, Double> extra = sum.percentiles("50", "99");
    String line = "publish until the processor of a reactor " + which + " has it";
    for (Latencies each : all) {
      rounds.record(line, Rounds.RIVER, "µs (p99)", each.micros(99), extra);
    }
  }

  private static boolean noThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .noneMatch(thread -> thread.getName().startsWith("REACTOR-"));
  }

  /** Publishes to one after the other, waiting each time. */
  private static Latencies wake(List<MessageQueue<byte[]>> queues, BlockingQueue<Long> times)
      throws InterruptedException {
    Latencies latencies = new Latencies();
    for (MessageQueue<byte[]> queue : queues) {
      ThisJvm.pause(BETWEEN);
      byte[] now = ByteBuffer.allocate(Long.BYTES).putLong(System.nanoTime()).array();
      queue.publisher().publish(now);
      latencies.record(times.take());
    }
    return latencies;
  }

  /**
   * The CPU of the whole process while reactors on one queue have nothing to do, and with their
   * subscribers alone. Each reactor has processed a message before.
   */
  private static void idle(Context context, Rounds rounds) throws Exception {
    int count = 100;
    MessageQueue<byte[]> queue = open(context, rounds, "idle");
    rounds.ofSystems(ALONE);
    List<Subscriber<byte[]>> subscribers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      subscribers.add(queue.subscriber(latest("idle-" + i)));
    }
    watch(context, rounds, count + " subscribers without reactors");
    List<Reactor<byte[]>> started = new ArrayList<>();
    for (Subscriber<byte[]> subscriber : subscribers) {
      Reactor<byte[]> reactor =
          Reactor.builder(subscriber).processor("empty", delivery -> ProcessResult.done()).start();
      rounds.closing(reactor::close);
      started.add(reactor);
    }
    queue.publisher().publish(new byte[1]);
    ThisJvm.await(
        () -> started.stream().allMatch(reactor -> reactor.stats().finished() > 0),
        PATIENCE,
        "the first message of all reactors");
    watch(context, rounds, count + " idle reactors");
  }

  private static void watch(Context context, Rounds rounds, String line) {
    ThisJvm.await(Reactors::noThreads, PATIENCE, "rest of all reactors");
    ThisJvm.pause(context.time(Duration.ofSeconds(1), BETWEEN)); // the forces after the last one
    Duration time = context.round(Duration.ofMillis(200));
    for (int i = 0; i < context.rounds(3); i++) {
      long cpu = ThisJvm.cpuNanos();
      ThisJvm.pause(time);
      double percent = 100.0 * (ThisJvm.cpuNanos() - cpu) / time.toNanos();
      Map<String, Double> extra = Map.of("threads", (double) ThisJvm.threads());
      rounds.record(line, Rounds.RIVER, "% of a core", percent, extra);
    }
  }
}
