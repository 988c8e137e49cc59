package com.wookler.river.benchmarks.reactor;

import com.wookler.river.benchmarks.harness.Context;
import com.wookler.river.benchmarks.harness.Latencies;
import com.wookler.river.benchmarks.harness.Recorder;
import com.wookler.river.benchmarks.harness.Rounds;
import com.wookler.river.benchmarks.harness.Samples;
import com.wookler.river.benchmarks.harness.ThisJvm;
import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.reactor.Reactor;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * What is measured of reactors.
 *
 * @param context where and how much
 * @param settings from the command line
 */
record ReactorWork(Context context, Settings settings) {
  private static final String TABLE = "reactor";
  private static final String ALONE = "batch(64) and ack";
  private static final int BATCH = 64;
  private static final int LOT = 1_000;
  private static final int SIZE = 1_024;
  private static final Duration BETWEEN = Duration.ofMillis(3);
  private static final Duration LOOK = Duration.ofMillis(5);
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final long POLL_NANOS = 200_000;

  /**
   * How much.
   *
   * @param count messages of a round of throughput
   * @param rests how often reactors are woken from a rest
   * @param idle idle reactors
   * @param seconds for which these are watched
   */
  record Settings(int count, int rests, int idle, int seconds) {}

  /** Takes all messages of a subscriber. */
  @FunctionalInterface
  private interface Way {
    void take(Subscriber<byte[]> subscriber) throws Exception;
  }

  private static MessageQueue<byte[]> open(Context context, Rounds rounds, String name) {
    MessageQueue<byte[]> queue =
        MessageQueue.builder(name, MessageConverter.bytes()).directory(context.directory()).open();
    rounds.closing(queue::delete);
    return queue;
  }

  /** The same messages through batches with ack, and through a reactor with one thread, in turn. */
  List<Row> throughput() throws Exception {
    int count = context.count(settings.count, 300);
    Samples samples = Samples.ofSystems(TABLE, ALONE);
    try (Rounds rounds = new Rounds(samples, context)) {
      MessageQueue<byte[]> queue = open(context, rounds, "throughput");
      rounds.add(
          ALONE, into -> take(queue, count, subscriber -> byBatches(subscriber, count), into));
      rounds.add(
          Samples.RIVER,
          into -> take(queue, count, subscriber -> byReactor(subscriber, count), into));
      rounds.run(1, context.rounds(7));
    }
    return samples.rows("");
  }

  private static void take(MessageQueue<byte[]> queue, int count, Way way, Recorder into)
      throws Exception {
    try (Subscriber<byte[]> subscriber =
        queue.subscriber(
            SubscriberConfig.builder("bench").ack(true).start(Position.latest()).build())) {
      List<byte[]> lot = Collections.nCopies(LOT, new byte[SIZE]);
      for (int left = count; left > 0; left -= LOT) {
        queue.publisher().publishAll(left < LOT ? lot.subList(0, left) : lot);
      }
      long cpu = ThisJvm.cpuNanos();
      long start = System.nanoTime();
      way.take(subscriber);
      double rate = count * 1e9 / (System.nanoTime() - start);
      double each = (ThisJvm.cpuNanos() - cpu) / 1e3 / count;
      into.add("1 KiB through an empty processor", "msg/s", rate, Map.of("CPU µs/msg", each));
    } finally {
      queue.removeSubscriber("bench");
    }
  }

  private static void byBatches(Subscriber<byte[]> subscriber, int count)
      throws InterruptedException {
    long bytes = 0;
    for (int taken = 0; taken < count; ) {
      List<Delivery<byte[]>> batch = subscriber.batch(BATCH, Duration.ofSeconds(1));
      for (Delivery<byte[]> delivery : batch) {
        bytes += delivery.data().length;
      }
      subscriber.ack(batch);
      taken += batch.size();
    }
    ThisJvm.check(bytes == (long) count * SIZE, bytes);
  }

  private static void byReactor(Subscriber<byte[]> subscriber, int count) {
    AtomicLong bytes = new AtomicLong(); // of one thread, and not contended
    try (Reactor<byte[]> reactor =
        Reactor.builder(subscriber)
            .batchSize(BATCH)
            .processor(
                "empty",
                delivery -> {
                  bytes.lazySet(bytes.get() + delivery.data().length);
                  return ProcessResult.done();
                })
            .start()) {
      while (reactor.stats().finished() < count) {
        LockSupport.parkNanos(POLL_NANOS);
      }
    }
    ThisJvm.check(bytes.get() == (long) count * SIZE, bytes);
  }

  /**
   * How long a message takes from the publish to the processor of a reactor with nothing else to
   * do: of reactors at rest, without a thread, each on a queue of its own; and of one whose thread
   * still waits. Percentiles are those of all rounds together.
   */
  List<Row> wakes() throws Exception {
    BlockingQueue<Long> times = new LinkedBlockingQueue<>();
    List<MessageQueue<byte[]>> queues = new ArrayList<>();
    Samples samples = Samples.ofSystems(TABLE, ALONE);
    try (Rounds rounds = new Rounds(samples, context)) {
      for (int i = 0; i < context.count(40, 2); i++) {
        MessageQueue<byte[]> queue = open(context, rounds, "wake-" + i);
        queues.add(queue);
        rounds.closing(timed(queue, times)::close);
      }
      List<List<Long>> resting = new ArrayList<>();
      List<List<Long>> waiting = new ArrayList<>();
      List<MessageQueue<byte[]>> one = Collections.nCopies(context.count(100, 3), queues.get(0));
      wake(queues, times); // the first round counts for nothing
      wake(one, times);
      for (int round = 0; round < context.count(settings.rests, 1); round++) {
        ThisJvm.await(ReactorWork::noThreads, PATIENCE, "rest of all reactors");
        resting.add(wake(queues, times));
        waiting.add(wake(one, times));
      }
      add(samples, "at rest", resting);
      add(samples, "that waits", waiting);
    }
    return samples.rows("");
  }

  private static void add(Samples samples, String which, List<List<Long>> rounds) {
    Latencies all = new Latencies();
    rounds.forEach(round -> round.forEach(all::record));
    Map<String, Double> extra = new LinkedHashMap<>();
    extra.put("p50 µs", all.micros(50));
    extra.put("p99 µs", all.micros(99));
    extra.put(Samples.MAX, all.micros(100));
    String line = "publish until the processor of a reactor " + which + " has it";
    for (List<Long> round : rounds) {
      Latencies each = new Latencies();
      round.forEach(each::record);
      samples.add(line, Samples.RIVER, "µs (p99)", each.micros(99), extra);
    }
  }

  private static boolean noThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .noneMatch(thread -> thread.getName().startsWith("REACTOR-"));
  }

  private static Reactor<byte[]> timed(MessageQueue<byte[]> queue, BlockingQueue<Long> times) {
    return Reactor.builder(queue.subscriber(SubscriberConfig.builder("bench").ack(true).build()))
        .processor(
            "timed",
            delivery -> {
              times.add(System.nanoTime() - ByteBuffer.wrap(delivery.data()).getLong());
              return ProcessResult.done();
            })
        .start();
  }

  /** Publishes to one after the other, waiting each time; returns the nanoseconds of each. */
  private static List<Long> wake(List<MessageQueue<byte[]>> queues, BlockingQueue<Long> times)
      throws InterruptedException {
    List<Long> nanos = new ArrayList<>();
    for (MessageQueue<byte[]> queue : queues) {
      ThisJvm.pause(BETWEEN);
      byte[] now = ByteBuffer.allocate(Long.BYTES).putLong(System.nanoTime()).array();
      queue.publisher().publish(now);
      nanos.add(times.take());
    }
    return nanos;
  }

  /**
   * The CPU of the whole process while reactors on one queue have nothing to do, and with their
   * subscribers alone. Each reactor has processed a message before.
   */
  List<Row> idle() throws Exception {
    Samples samples = Samples.ofSystems(TABLE, ALONE);
    try (Rounds rounds = new Rounds(samples, context)) {
      MessageQueue<byte[]> queue = open(context, rounds, "idle");
      List<Subscriber<byte[]>> subscribers = new ArrayList<>();
      for (int i = 0; i < settings.idle; i++) {
        subscribers.add(
            queue.subscriber(
                SubscriberConfig.builder("idle-" + i).ack(true).start(Position.latest()).build()));
      }
      watch(samples, settings.idle + " subscribers without reactors");
      List<Reactor<byte[]>> started = new ArrayList<>();
      for (Subscriber<byte[]> subscriber : subscribers) {
        Reactor<byte[]> reactor =
            Reactor.builder(subscriber)
                .processor("empty", delivery -> ProcessResult.done())
                .start();
        rounds.closing(reactor::close);
        started.add(reactor);
      }
      queue.publisher().publish(new byte[1]);
      while (started.stream().anyMatch(reactor -> reactor.stats().finished() == 0)) {
        ThisJvm.pause(LOOK);
      }
      watch(samples, settings.idle + " idle reactors");
    }
    return samples.rows("");
  }

  private void watch(Samples samples, String line) {
    ThisJvm.await(ReactorWork::noThreads, PATIENCE, "rest of all reactors");
    ThisJvm.pause(context.time(Duration.ofSeconds(1), LOOK)); // the forces after the last message
    Duration time = context.time(Duration.ofSeconds(settings.seconds), Duration.ofMillis(200));
    for (int i = 0; i < context.rounds(3); i++) {
      long cpu = ThisJvm.cpuNanos();
      ThisJvm.pause(time);
      double percent = 100.0 * (ThisJvm.cpuNanos() - cpu) / time.toNanos();
      Map<String, Double> extra = Map.of("threads", (double) ThisJvm.threads());
      samples.add(line, Samples.RIVER, "% of a core", percent, extra);
    }
  }
}
