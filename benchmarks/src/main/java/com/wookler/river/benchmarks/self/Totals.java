package com.wookler.river.benchmarks.self;

import static com.wookler.river.benchmarks.self.QueueWork.millisSince;
import static com.wookler.river.benchmarks.self.QueueWork.take;

import com.wookler.river.benchmarks.harness.ChildJvm;
import com.wookler.river.benchmarks.harness.Context;
import com.wookler.river.benchmarks.harness.Latencies;
import com.wookler.river.benchmarks.harness.Rounds;
import com.wookler.river.benchmarks.harness.ThisJvm;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.QueueListener;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** River once at a large size: how long it takes to open, to deliver again, to archive. */
final class Totals {
  private static final int MORE = 5_000;
  private static final int EACH = 10;
  private static final String WORKER = "worker";
  private static final Duration TIMEOUT = Duration.ofHours(1);
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final int RATE = 20_000;
  private static final int LOOK = 100; // messages from one look at the blocks to the next
  private static final String QUIET =
      "each with a subscriber with ack and one message, finished; the disk by du; defaults";

  // Of the one queue that a JVM which does the jobs of restart() opens, for end().
  private static @Nullable MessageQueue<byte[]> opened;
  private static @Nullable Delivery<byte[]> second;

  private Totals() {}

  /**
   * A queue with a large backlog and many acknowledgements above the low watermark is opened by a
   * new JVM, after a close and after the process was killed. Before each kill more is acknowledged,
   * so that not all acknowledgements are in a snapshot.
   */
  static void restart(Context context, Rounds rounds) throws Exception {
    int waiting = context.count(10_000_000, 30_000);
    int acks = context.count(1_000_000, 1_000);
    String directory = context.fresh("restart").toString();
    try (MessageQueue<byte[]> queue = QueueWork.queue(Path.of(directory)).open()) {
      Growth.holdOne(queue, queue.subscriber(Growth.wide(WORKER)), acks);
      QueueWork.publish(queue, waiting);
    }
    String what =
        Context.text("open, %,d waiting, %,d acks above the low watermark", waiting, acks);
    rounds.note("from open() to the first delivery, in a JVM that has just started; 100 B");
    int acked = acks;
    for (int i = 0; i < context.rounds(3); i++) {
      restart(directory, acked, true, what + ", after a close", rounds);
      acked += MORE;
      restart(directory, acked, false, what + ", after a kill", rounds);
    }
  }

  private static void restart(String directory, int acks, boolean kill, String what, Rounds rounds)
      throws Exception {
    try (ChildJvm child = new ChildJvm(List.of("-Xmx1g"))) {
      double[] millis = child.ask(() -> open(directory, acks));
      rounds.add(what, "ms", millis[1]);
      rounds.add(what + ", open() alone", "ms", millis[0]);
      if (child.ask(() -> end(kill))) {
        child.kill();
      }
    }
  }

  /** Opens the queue and takes what comes first; returns the milliseconds until both. */
  private static double[] open(String directory, int acks) throws InterruptedException {
    long started = System.nanoTime();
    MessageQueue<byte[]> queue = QueueWork.queue(Path.of(directory)).open();
    double open = millisSince(started);
    Subscriber<byte[]> subscriber = queue.subscriber(Growth.wide(WORKER));
    Delivery<byte[]> first = take(subscriber, 1, 0).get(0);
    double delivered = millisSince(started);
    Delivery<byte[]> next = take(subscriber, 1, 1).get(0);
    ThisJvm.check(
        first.sequence() == 0 && next.sequence() == acks + 1L,
        "got " + first.sequence() + " and " + next.sequence() + " with " + acks + " acks");
    opened = queue;
    second = next;
    return new double[] {open, delivered};
  }

  /** Closes the queue, or acknowledges more of it; returns whether to kill the process then. */
  private static boolean end(boolean kill) throws InterruptedException {
    MessageQueue<byte[]> queue = Objects.requireNonNull(opened);
    if (!kill) {
      queue.close();
      return false;
    }
    Objects.requireNonNull(second).ack();
    Subscriber<byte[]> subscriber = queue.subscriber(WORKER);
    List<Delivery<byte[]>> taken = new ArrayList<>(MORE);
    while (taken.size() < MORE - 1) {
      taken.addAll(take(subscriber, MORE - 1 - taken.size(), taken.size()));
    }
    taken.forEach(Delivery::ack);
    return true;
  }

  /** A queue with many subscribers, each with acknowledged messages, is opened with all of them. */
  static void reopen(Context context, Rounds rounds) throws Exception {
    int count = context.count(1_000, 10);
    Path directory = context.fresh("reopen");
    rounds.note(
        "the process's CPU from open() until all subscribers are open, with ack; each finishes "
            + EACH
            + " messages a round");
    openAll(directory, count);
    for (int i = 0; i < context.rounds(3); i++) {
      String line = Context.text("open again, %,d subscribers, CPU", count);
      rounds.add(line, "ms", openAll(directory, count));
    }
  }

  /** Returns the processor time of the opening, in milliseconds. */
  private static double openAll(Path directory, int count) throws InterruptedException {
    long before = ThisJvm.cpuNanos();
    try (MessageQueue<byte[]> queue = QueueWork.queue(directory).open()) {
      List<Subscriber<byte[]>> subscribers = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        subscribers.add(queue.subscriber(QueueWork.acked("subscriber-" + i).build()));
      }
      double millis = (ThisJvm.cpuNanos() - before) / 1e6;
      QueueWork.publish(queue, EACH);
      for (Subscriber<byte[]> subscriber : subscribers) {
        QueueWork.consume(subscriber, EACH);
      }
      return millis;
    }
  }

  /** Many queues in one JVM, each with a subscriber, an acknowledged message, and no work. */
  static void queues(Context context, Rounds rounds) throws Exception {
    int count = context.count(1_000, 10);
    Path directory = context.fresh("queues");
    List<MessageQueue<byte[]>> queues = new ArrayList<>();
    String name = Context.text("%,d queues, ", count);
    try {
      for (int i = 0; i < context.count(20, 1); i++) { // classes and pools are there afterwards
        MessageQueue<byte[]> first = openQuiet(directory, "first");
        use(first);
        first.delete();
      }
      int threads = ThisJvm.threads();
      long heap = ThisJvm.heapBytes();
      openQuiet(queues, directory, count, name + "make one", rounds);
      for (MessageQueue<byte[]> queue : queues) {
        use(queue);
      }
      queues.get(0).force();
      rounds.note(QUIET);
      rounds.add(name + "threads of the JVM", "threads", ThisJvm.threads());
      rounds.add("no queues, threads of the JVM", "threads", threads);
      rounds.add(name + "heap each", "KB", (ThisJvm.heapBytes() - heap) / 1e3 / count);
      rounds.add(name + "CPU while quiet", "ms/s", cpuMillisASecond(context));
      rounds.add(name + "disk each", "KB", diskBytes(directory) / 1e3 / count);
      queues.forEach(MessageQueue::close);
      queues.clear();
      openQuiet(queues, directory, count, name + "open one again", rounds);
    } finally {
      queues.forEach(MessageQueue::close);
    }
  }

  private static void openQuiet(
      List<MessageQueue<byte[]>> queues, Path directory, int count, String line, Rounds rounds) {
    rounds.note(QUIET + "; a round is a queue");
    for (int i = 0; i < count; i++) {
      long started = System.nanoTime();
      queues.add(openQuiet(directory, "queue-" + i));
      rounds.add(line, "ms", QueueWork.millisSince(started));
    }
  }

  private static MessageQueue<byte[]> openQuiet(Path directory, String name) {
    return MessageQueue.builder(name, MessageConverter.bytes())
        .directory(directory)
        .backup(directory.resolveSibling("queues-backup"), Duration.ofHours(1))
        .subscriber(QueueWork.acked("worker").build())
        .open();
  }

  private static void use(MessageQueue<byte[]> queue) throws InterruptedException {
    QueueWork.publish(queue, 1);
    Subscriber<byte[]> subscriber = queue.subscriber("worker");
    QueueWork.consume(subscriber, 1);
    ThisJvm.check(subscriber.stats().lag() == 0, subscriber.stats());
  }

  private static double cpuMillisASecond(Context context) {
    ThisJvm.pause(context.time(Duration.ofSeconds(3), Duration.ofMillis(100)));
    long before = ThisJvm.cpuNanos();
    long started = System.nanoTime();
    ThisJvm.pause(context.round(Duration.ofMillis(200)));
    return (ThisJvm.cpuNanos() - before) * 1e3 / (System.nanoTime() - started);
  }

  /** Returns what a directory takes on the device, by du: files have holes. */
  static long diskBytes(Path directory) throws IOException, InterruptedException {
    Process du =
        new ProcessBuilder("du", "-s", "--block-size=1", directory.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String text = new String(du.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    ThisJvm.check(du.waitFor() == 0, "du failed for " + directory);
    return Long.parseLong(text.substring(0, text.indexOf('\t')));
  }

  /** The acknowledgement timeouts of all messages in flight pass at one moment. */
  static void redelivery(Context context, Rounds rounds) throws Exception {
    int messages = context.count(1_000_000, 2_000);
    for (int i = 0; i < context.rounds(3); i++) {
      ShiftedTime time = new ShiftedTime();
      MessageQueue<byte[]> queue =
          QueueWork.queue(context.fresh("redelivery")).timeSource(time).open();
      try {
        Subscriber<byte[]> subscriber =
            queue.subscriber(
                QueueWork.acked("slow")
                    .ackTimeout(TIMEOUT)
                    .window(messages)
                    .maxInFlight(messages)
                    .build());
        QueueWork.publish(queue, messages);
        long before = ThisJvm.heapBytes();
        deliver(subscriber, messages, 1);
        double megabytes = (ThisJvm.heapBytes() - before) / 1e6;
        rounds.note(
            "used heap after collections, less that before they were taken; deliveries dropped");
        rounds.add(Context.text("heap of %,d in flight", messages), "MB", megabytes);
        time.advance(TIMEOUT.plusSeconds(1));
        long started = System.nanoTime();
        deliver(subscriber, messages, 2);
        double seconds = QueueWork.millisSince(started) / 1e3;
        rounds.note("from their expiry, one thread, batches of 64, not acknowledged; 100 B");
        rounds.add(Context.text("deliver %,d again", messages), "s", seconds);
      } finally {
        queue.delete();
      }
    }
  }

  /** Takes all, each of them once. */
  private static void deliver(Subscriber<byte[]> subscriber, int messages, int attempt)
      throws InterruptedException {
    BitSet seen = new BitSet(messages);
    for (int left = messages; left > 0; ) {
      List<Delivery<byte[]>> batch = QueueWork.take(subscriber, QueueWork.BATCH, messages - left);
      for (Delivery<byte[]> delivery : batch) {
        seen.set((int) delivery.sequence());
        ThisJvm.check(delivery.attempt() == attempt, delivery);
      }
      left -= batch.size();
    }
    ThisJvm.check(seen.cardinality() == messages, seen.cardinality() + " of " + messages);
  }

  /** Returns events as applications publish them: JSON of about 400 bytes, always the same ones. */
  private static List<byte[]> events(int count) {
    Random random = new Random(20_140_601);
    List<byte[]> events = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String[] types = {"created", "paid", "packed", "shipped", "returned"};
      String[] cities = {"Lisbon", "Uppsala", "Pune", "Quito", "Leeds", "Osaka", "Turku", "Graz"};
      String event =
          Context.text(
              "{\"id\":\"%016x%016x\",\"type\":\"order.%s\",\"time\":\"2026-03-%02dT%02d:%02d:%02d.%06dZ\","
                  + "\"customer\":{\"id\":%d,\"session\":\"%016x\",\"city\":\"%s\"},\"items\":[{\"sku\":"
                  + "\"%08x\",\"name\":\"lamp\",\"quantity\":%d,\"price\":%d.%02d},{\"sku\":\"%08x\",\"name\":"
                  + "\"shelf\",\"quantity\":1,\"price\":%d.00}],\"trace\":\"%016x\",\"version\":%d}",
              random.nextLong(),
              random.nextLong(),
              types[random.nextInt(types.length)],
              1 + random.nextInt(28),
              random.nextInt(24),
              random.nextInt(60),
              random.nextInt(60),
              random.nextInt(1_000_000),
              random.nextInt(1_000_000),
              random.nextLong(),
              cities[random.nextInt(cities.length)],
              random.nextInt(),
              1 + random.nextInt(5),
              random.nextInt(500),
              random.nextInt(100),
              random.nextInt(),
              random.nextInt(500),
              random.nextLong(),
              i);
      events.add(event.getBytes(StandardCharsets.UTF_8));
    }
    return events;
  }

  /**
   * Archives blocks as fast as it goes, and then as many beside a publisher. One queue's blocks are
   * archived one after the other, so one core does it.
   */
  static void archive(Context context, Rounds rounds) throws Exception {
    List<byte[]> events = events(context.count(100_000, 1_000));
    int blocks = context.count(8, 2);
    Duration quiet = context.time(Duration.ofSeconds(5), Duration.ofMillis(50));
    for (int i = 0; i < context.rounds(3); i++) {
      Path directory = context.fresh("archive");
      Path backup = directory.resolve("backup");
      MessageQueue.Builder<byte[]> builder =
          QueueWork.queue(directory).backup(backup, Duration.ZERO);
      if (context.quick()) {
        builder.maxMessageBytes(1 << 16).blockBytes(1 << 19);
      }
      MessageQueue<byte[]> queue = builder.open();
      try {
        ArchivedLog log =
            new ArchivedLog(queue, queue.subscriber("keeper"), new AtomicLong(), events);
        queue.addListener(log);
        log.archiveAlone(log.fill(blocks), backup, rounds);
        log.archiveBeside(log.fill(blocks), quiet, rounds);
      } finally {
        queue.delete();
        ThisJvm.delete(directory);
      }
    }
  }

  /** A queue whose blocks the keeper keeps until it purges; counts those that are archived. */
  private record ArchivedLog(
      MessageQueue<byte[]> queue,
      Subscriber<byte[]> keeper,
      AtomicLong archived,
      List<byte[]> events)
      implements QueueListener {
    @Override
    public void blockArchived(int block, long first, long messages, Path backup) {
      archived.incrementAndGet();
    }

    void publish(long number) {
      queue.publisher().publish(events.get((int) (number % events.size())));
    }

    /** Publishes until there are more than this many blocks; returns the megabytes of the log. */
    double fill(int blocks) {
      for (long i = 0; i % LOOK != 0 || queue.stats().blocks() <= blocks; i++) {
        publish(i);
      }
      queue.force();
      return queue.stats().bytes() / 1e6; // the active block has hardly begun
    }

    /** Has all closed blocks archived; returns what says whether they are. */
    private BooleanSupplier purge() {
      long all = archived.get() + queue.stats().blocks() - 1;
      keeper.purge();
      return () -> archived.get() >= all;
    }

    void archiveAlone(double megabytes, Path backup, Rounds rounds) throws Exception {
      rounds.note("log of JSON events, from drained to archived, verified and removed; one core");
      long cpu = ThisJvm.cpuNanos();
      long started = System.nanoTime();
      ThisJvm.await(purge(), PATIENCE, "archive");
      double nanos = System.nanoTime() - started;
      double used = ThisJvm.cpuNanos() - cpu;
      rounds.add("archive", "MB/s", megabytes * 1e9 / nanos);
      rounds.add("archive, by the CPU time of the JVM", "MB/s", megabytes * 1e9 / used);
      rounds.add("archive, of the log's bytes", "%", diskBytes(backup) / 1e4 / megabytes);
    }

    void archiveBeside(double megabytes, Duration quiet, Rounds rounds) throws Exception {
      rounds.note(Context.text("%,d events/s, counted from when each was due", RATE));
      long calls = RATE * quiet.toMillis() / 1_000;
      Latencies alone = Latencies.paced(RATE, calls, () -> false, this::publish);
      rounds.record("publish p99.9", "nothing to archive", "µs", alone.micros(99.9), Map.of());
      long started = System.nanoTime();
      BooleanSupplier done = purge();
      Latencies beside = Latencies.paced(RATE, RATE * 60L, done, this::publish);
      rounds.record("publish p99.9", "archiving", "µs", beside.micros(99.9), Map.of());
      ThisJvm.await(done, PATIENCE, "archive");
      double rate = megabytes * 1e9 / (System.nanoTime() - started);
      rounds.add("archive beside a publisher", "MB/s", rate);
    }
  }
}
