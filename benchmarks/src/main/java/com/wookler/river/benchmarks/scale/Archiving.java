package com.wookler.river.benchmarks.scale;

import com.wookler.river.benchmarks.harness.Context;
import com.wookler.river.benchmarks.harness.Directories;
import com.wookler.river.benchmarks.harness.Latencies;
import com.wookler.river.benchmarks.harness.Recorder;
import com.wookler.river.benchmarks.harness.Rounds;
import com.wookler.river.benchmarks.harness.Samples;
import com.wookler.river.benchmarks.harness.ThisJvm;
import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.common.MonitoredThread;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.Publisher;
import com.wookler.river.core.QueueListener;
import com.wookler.river.core.SizeBasedRecycle;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/** How fast drained blocks are archived, and what a publisher at a steady rate notices. */
final class Archiving {
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final int RATE = 20_000;
  private static final int LOOK = 100; // messages from one look at the blocks to the next
  private static final int BLOCK_BYTES = 16 << 20;
  private static final Duration WAIT = Duration.ofMillis(100);
  private static final String P999 = "publish p99.9";

  private Archiving() {}

  /** One queue's blocks are archived one after the other, so one core does it. */
  static List<Row> archive(Context context) throws Exception {
    Events events = Events.of(context.count(100_000, 1_000));
    Samples archived = Samples.ofSteps(ScaleCommand.TABLE);
    Samples late = Samples.ofSteps(ScaleCommand.TABLE);
    for (int i = 0; i < context.rounds(5); i++) {
      try (Filled log = new Filled(context, events)) {
        log.archiveAlone(archived);
      }
      try (Filled log = new Filled(context, events)) {
        log.archiveBesidePublisher(late);
      }
    }
    List<Row> rows =
        new ArrayList<>(
            archived.rows(
                "log of JSON events, from drained to archived, verified and removed; one core"));
    rows.addAll(late.rows(Context.text("%,d events/s, counted from when each was due", RATE)));
    return rows;
  }

  /** A fresh queue whose blocks a subscriber still keeps. */
  private static final class Filled implements AutoCloseable {
    private final Context context;
    private final Events events;
    private final Path directory;
    private final MessageQueue<byte[]> queue;
    private final Subscriber<byte[]> keeper;
    private final AtomicLong archived = new AtomicLong(); // by the listener
    private final long closed;
    private final double megabytes;

    Filled(Context context, Events events) throws IOException {
      this.context = context;
      this.events = events;
      this.directory = context.fresh("archive");
      MessageQueue.Builder<byte[]> builder = QueueWork.queue(directory, Duration.ZERO);
      if (context.quick()) {
        builder.maxMessageBytes(1 << 16).blockBytes(1 << 19);
      }
      this.queue = builder.open();
      this.keeper = queue.subscriber("keeper");
      queue.addListener(
          new QueueListener() {
            @Override
            public void blockArchived(int block, long first, long messages, Path backup) {
              archived.incrementAndGet();
            }
          });
      int blocks = context.count(8, 2);
      Publisher<byte[]> publisher = queue.publisher();
      for (long i = 0; i % LOOK != 0 || queue.stats().blocks() <= blocks; i++) {
        publisher.publish(events.get(i));
      }
      queue.force();
      this.closed = queue.stats().blocks() - 1L;
      this.megabytes = queue.stats().bytes() / 1e6; // the active block has hardly begun
    }

    void archiveAlone(Samples samples) throws Exception {
      long cpu = ThisJvm.cpuNanos();
      long started = System.nanoTime();
      keeper.purge();
      ThisJvm.await(() -> archived.get() == closed, PATIENCE, "archive");
      double nanos = System.nanoTime() - started;
      double used = ThisJvm.cpuNanos() - cpu;
      samples.add("archive", "MB/s", megabytes * 1e9 / nanos);
      samples.add("archive, by the CPU time of the JVM", "MB/s", megabytes * 1e9 / used);
      double kept = IdleQueues.diskBytes(directory.resolve("backup"));
      samples.add("archive, of the log's bytes", "%", kept / 1e4 / megabytes);
    }

    void archiveBesidePublisher(Samples samples) {
      Duration quiet = context.time(Duration.ofSeconds(5), Duration.ofMillis(50));
      publish(samples, "nothing to archive", (int) (RATE * quiet.toMillis() / 1_000), false);
      long started = System.nanoTime();
      keeper.purge();
      publish(samples, "archiving", RATE * 60, true);
      ThisJvm.await(() -> archived.get() >= closed, PATIENCE, "archive");
      samples.add(
          "archive beside a publisher", "MB/s", megabytes * 1e9 / (System.nanoTime() - started));
    }

    /** With {@code untilArchived} it ends when all is archived. */
    private void publish(Samples samples, String label, int most, boolean untilArchived) {
      Publisher<byte[]> publisher = queue.publisher();
      Latencies latencies =
          Latencies.paced(
              RATE,
              most,
              () -> untilArchived && archived.get() >= closed,
              number -> publisher.publish(events.get(number)));
      samples.add(P999, label, "µs", latencies.micros(99.9), Map.of());
    }

    @Override
    public void close() throws IOException {
      queue.delete();
      Directories.delete(directory);
    }
  }

  /**
   * The longest pauses of a publisher at a steady rate: beside a log that only grows, beside one
   * whose blocks are recycled, consumed, archived and forced all the time, and of the same pace
   * without publishing, which shows what the machine itself adds.
   */
  static List<Row> pauses(Context context) throws Exception {
    Duration time = context.time(Duration.ofSeconds(20), Duration.ofMillis(200));
    int calls = (int) (RATE * time.toMillis() / 1_000);
    Events events = Events.ofSize(context.count(20_000, 100), 1_024);
    Samples samples = Samples.ofSteps(ScaleCommand.TABLE);
    try (Rounds rounds = new Rounds(samples, context)) {
      rounds.add("not publishing", into -> pauses(into, calls, number -> {}));
      MessageQueue<byte[]> growing =
          QueueWork.queue(context.fresh("growing")).blockBytes(1L << 30).open();
      rounds.closing(growing::delete);
      rounds.add("log grows", into -> pauses(into, calls, publishing(growing, events)));
      MessageQueue<byte[]> busy =
          QueueWork.queue(context.fresh("busy"))
              .recycle(SizeBasedRecycle.ofBytes(context.count(BLOCK_BYTES, BLOCK_BYTES / 16)))
              .open();
      rounds.closing(busy::delete);
      AtomicLong consumed = rounds.closing(new Consumer(busy)).consumed;
      rounds.add(
          "busy",
          into -> {
            long goal = consumed.get() + calls;
            pauses(into, calls, publishing(busy, events));
            ThisJvm.await(() -> consumed.get() == goal, QueueWork.PATIENCE, goal + " messages");
          });
      rounds.run(context.count(1, 0), context.rounds(3));
    }
    return samples.rows(
        Context.text(
            "%,d/s of 1 KiB, %,d calls a round, counted from when each was due; busy: blocks of"
                + " 16 MB recycled, consumed with ack, archived",
            RATE, calls));
  }

  private static LongConsumer publishing(MessageQueue<byte[]> queue, Events events) {
    Publisher<byte[]> publisher = queue.publisher();
    return number -> publisher.publish(events.get(number));
  }

  private static void pauses(Recorder into, int calls, LongConsumer work) {
    Latencies latencies = Latencies.paced(RATE, calls, () -> false, work);
    into.add("pause p99.99", "µs", latencies.micros(99.99));
    into.add("longest pause", "µs", latencies.micros(100));
  }

  /** Takes and acknowledges whatever comes. */
  private static final class Consumer implements Closeable {
    private final Subscriber<byte[]> subscriber;
    private final AtomicLong consumed = new AtomicLong();
    private final AtomicBoolean ended = new AtomicBoolean();
    private final MonitoredThread thread = new MonitoredThread("CONSUMER", this::run);

    Consumer(MessageQueue<byte[]> queue) {
      this.subscriber = queue.subscriber(QueueWork.acked("worker").build());
      thread.start();
    }

    private void run() {
      try {
        while (!ended.get()) {
          List<Delivery<byte[]>> batch = subscriber.batch(QueueWork.BATCH, WAIT);
          subscriber.ack(batch);
          consumed.addAndGet(batch.size());
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void close() {
      ended.set(true);
      ThisJvm.await(() -> !thread.isAlive(), QueueWork.PATIENCE, "the consumer's end");
    }
  }
}
