package com.wookler.river.benchmarks.scale;

import com.sun.management.OperatingSystemMXBean;
import com.wookler.river.benchmarks.report.Ratio;
import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.benchmarks.utils.Directories;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.Publisher;
import com.wookler.river.core.QueueListener;
import com.wookler.river.core.subscriber.Subscriber;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Blocks that are drained all at once: how fast they are archived, and what that does to a
 * publisher. One queue's blocks are archived one after the other, so one core does it.
 */
final class ArchivePart implements Part {
  private static final OperatingSystemMXBean PROCESS =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final int RATE = 20_000;
  private static final int LOOK = 100; // messages from one look at the blocks to the next
  private static final double P999 = 0.999;

  @Override
  public String name() {
    return "archive";
  }

  @Override
  public String about() {
    return "MB/s of log archived, and publishers' p99.9 with archiving and without";
  }

  @Override
  public List<Row> measure(Lab lab) throws Exception {
    Samples samples = new Samples();
    Events events = Events.of(lab.count(100_000, 1_000));
    int rounds = lab.rounds(5);
    for (int i = 0; i < rounds; i++) {
      try (Round round = new Round(lab, events)) {
        round.archiveAlone(samples);
      }
      try (Round round = new Round(lab, events)) {
        round.archiveBesidePublisher(samples);
      }
    }
    return samples.rows();
  }

  private static final class Samples {
    final List<Double> speeds = new ArrayList<>();
    final List<Double> cpu = new ArrayList<>();
    final List<Double> shares = new ArrayList<>();
    final List<Double> besides = new ArrayList<>();
    final List<Double> without = new ArrayList<>();
    final List<Double> with = new ArrayList<>();

    List<Row> rows() {
      double[] ratios = new double[with.size()];
      for (int i = 0; i < ratios.length; i++) {
        ratios[i] = with.get(i) / without.get(i);
      }
      Spread ratio = Spread.of(ratios);
      String late =
          String.format(Locale.ROOT, "%,d events/s, counted from when each was due", RATE);
      Row quiet = Lab.row("publish p99.9, nothing to archive", "µs", Spread.of(without), late);
      Spread busy = Spread.of(with);
      String archived =
          "log of JSON events, from drained to archived, verified and removed; one core";
      return List.of(
          Lab.row("archive", "MB/s", Spread.of(speeds), archived),
          Lab.row("archive, by the CPU time of the JVM", "MB/s", Spread.of(cpu), archived),
          Lab.row("archive, of the log's bytes", "%", Spread.of(shares), archived),
          Lab.row("archive beside a publisher", "MB/s", Spread.of(besides), late),
          quiet,
          new Row(
              Lab.TABLE,
              "publish p99.9, archiving",
              Lab.SYSTEM,
              "µs",
              busy.median(),
              busy.min(),
              busy.max(),
              new Ratio("nothing to archive", ratio.median(), ratio.min(), ratio.max()),
              Map.of(),
              quiet.note()));
    }
  }

  /** A fresh queue whose blocks a subscriber still keeps. */
  private static final class Round implements AutoCloseable {
    private final Lab lab;
    private final Events events;
    private final Path directory;
    private final MessageQueue<byte[]> queue;
    private final Subscriber<byte[]> keeper;
    private final AtomicLong archived = new AtomicLong(); // by the listener
    private final long sealed;
    private final double megabytes;

    Round(Lab lab, Events events) throws Exception {
      this.lab = lab;
      this.events = events;
      this.directory = lab.fresh("archive");
      MessageQueue.Builder<byte[]> builder = Lab.queue(directory, Duration.ZERO);
      if (lab.isQuick()) {
        builder.maxMessageBytes(1 << 16).blockBytes(1 << 19);
      }
      this.queue = builder.open();
      this.keeper = queue.subscriber("keeper");
      int blocks = lab.count(8, 2);
      queue.addListener(
          new QueueListener() {
            @Override
            public void blockArchived(int block, long first, long messages, Path backup) {
              archived.incrementAndGet();
            }
          });
      Publisher<byte[]> publisher = queue.publisher();
      for (long i = 0; i % LOOK != 0 || queue.stats().blocks() <= blocks; i++) {
        publisher.publish(events.get(i));
      }
      queue.force();
      this.sealed = queue.stats().blocks() - 1L;
      this.megabytes = queue.stats().bytes() / 1e6; // the active block has hardly begun
    }

    void archiveAlone(Samples samples) throws Exception {
      long cpu = PROCESS.getProcessCpuTime();
      long started = System.nanoTime();
      keeper.purge();
      Await.until(() -> archived.get() == sealed, PATIENCE, "archive");
      samples.speeds.add(megabytes * 1e9 / (System.nanoTime() - started));
      samples.cpu.add(megabytes * 1e9 / (PROCESS.getProcessCpuTime() - cpu));
      samples.shares.add(DiskUse.of(directory.resolve("backup")) / 1e4 / megabytes);
    }

    void archiveBesidePublisher(Samples samples) {
      int most =
          (int) (RATE * lab.time(Duration.ofSeconds(5), Duration.ofMillis(50)).toMillis() / 1_000);
      samples.without.add(paced(most, false).micros(P999));
      long started = System.nanoTime();
      keeper.purge();
      samples.with.add(paced(RATE * 60, true).micros(P999));
      Await.until(() -> archived.get() >= sealed, PATIENCE, "archive");
      samples.besides.add(megabytes * 1e9 / (System.nanoTime() - started));
    }

    /** Publishes so many at most; with {@code untilArchived} no longer than it is archiving. */
    private Pacer.Lateness paced(int most, boolean untilArchived) {
      Publisher<byte[]> publisher = queue.publisher();
      return new Pacer(RATE)
          .run(
              most,
              () -> untilArchived && archived.get() >= sealed,
              number -> publisher.publish(events.get(number)));
    }

    @Override
    public void close() throws IOException {
      queue.delete();
      Directories.delete(directory);
    }
  }
}
