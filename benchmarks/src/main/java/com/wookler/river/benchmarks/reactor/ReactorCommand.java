package com.wookler.river.benchmarks.reactor;

import com.sun.management.OperatingSystemMXBean;
import com.wookler.river.benchmarks.utils.Directories;
import com.wookler.river.benchmarks.utils.UsageException;
import com.wookler.river.common.TimeSource;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.reactor.Reactor;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code reactor}: the same messages through {@code batch(64)} with {@code ack}, and through a
 * reactor with one thread and an empty processor, in turn; then reactors without messages, and what
 * they cost. The first round counts for nothing.
 */
@Command(
    name = "reactor",
    description = "An empty processor beside batch(64) with ack; idle reactors.")
public final class ReactorCommand implements Callable<Integer> {
  private static final int BATCH = 64;
  private static final int LOT = 1_000;

  @Option(
      names = "--count",
      paramLabel = "N",
      defaultValue = "1000000",
      description = "Messages of a round. Default: ${DEFAULT-VALUE}.")
  private int count;

  @Option(
      names = "--size",
      paramLabel = "BYTES",
      defaultValue = "1024",
      description = "Of each message. Default: ${DEFAULT-VALUE}.")
  private int size;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "5",
      description = "Of each, behind the first. Default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--idle",
      paramLabel = "N",
      defaultValue = "100",
      description = "Idle reactors; 0 leaves them out. Default: ${DEFAULT-VALUE}.")
  private int idle;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "10",
      description = "How long they are watched. Default: ${DEFAULT-VALUE}.")
  private int seconds;

  @Option(names = "--directory", paramLabel = "DIR", description = "Default: a temporary one.")
  private @Nullable Path directory;

  @Spec private CommandSpec spec;

  private final TimeSource time = TimeSource.system();

  /** Made by the command line, which sets the options. */
  @SuppressWarnings("NullAway.Init")
  public ReactorCommand() {}

  @Override
  public Integer call() throws Exception {
    if (count < 1 || size < 1 || rounds < 1 || idle < 0 || seconds < 1) {
      throw new UsageException("--count, --size, --rounds and --seconds are at least 1");
    }
    if (directory != null) {
      measure(directory);
      return CommandLine.ExitCode.OK;
    }
    Path own = Files.createTempDirectory("river-reactor");
    try {
      measure(own);
    } finally {
      Directories.delete(own);
    }
    return CommandLine.ExitCode.OK;
  }

  private void measure(Path base) throws Exception {
    MessageQueue<byte[]> queue =
        MessageQueue.builder("reactor-bench", MessageConverter.bytes()).directory(base).open();
    try {
      compare(queue);
      if (idle > 0) {
        watch(queue);
      }
    } finally {
      queue.delete();
    }
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }

  private void compare(MessageQueue<byte[]> queue) throws Exception {
    double[] ratios = new double[rounds];
    for (int round = 0; round <= rounds; round++) {
      double batches = rate(queue, this::byBatches);
      double reactor = rate(queue, this::byReactor);
      if (round == 0) {
        continue;
      }
      ratios[round - 1] = reactor / batches;
      out()
          .printf(
              Locale.ROOT,
              "round %d: batch(%d) and ack %,.0f/s, reactor %,.0f/s, ratio %.2f%n",
              round,
              BATCH,
              batches,
              reactor,
              reactor / batches);
    }
    Arrays.sort(ratios);
    out().printf(Locale.ROOT, "median ratio: %.2f%n", ratios[rounds / 2]);
  }

  /** Takes all messages of a subscriber. */
  @FunctionalInterface
  private interface Way {
    void take(Subscriber<byte[]> subscriber) throws Exception;
  }

  private double rate(MessageQueue<byte[]> queue, Way way) throws Exception {
    try (Subscriber<byte[]> subscriber =
        queue.subscriber(
            SubscriberConfig.builder("bench").ack(true).start(Position.latest()).build())) {
      List<byte[]> lot = Collections.nCopies(LOT, new byte[size]);
      for (int left = count; left > 0; left -= LOT) {
        queue.publisher().publishAll(left < LOT ? lot.subList(0, left) : lot);
      }
      long start = time.nanoTime();
      way.take(subscriber);
      return count * 1e9 / (time.nanoTime() - start);
    } finally {
      queue.removeSubscriber("bench");
    }
  }

  private void byBatches(Subscriber<byte[]> subscriber) throws InterruptedException {
    int taken = 0;
    long bytes = 0;
    while (taken < count) {
      List<Delivery<byte[]>> batch = subscriber.batch(BATCH, Duration.ofSeconds(1));
      for (Delivery<byte[]> delivery : batch) {
        bytes += delivery.data().length;
      }
      subscriber.ack(batch);
      taken += batch.size();
    }
    check(bytes);
  }

  private void byReactor(Subscriber<byte[]> subscriber) {
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
        time.park(this, TimeUnit.MICROSECONDS.toNanos(50));
      }
    }
    check(bytes.get());
  }

  private void check(long bytes) {
    if (bytes != (long) count * size) {
      throw new IllegalStateException(bytes + " bytes came of " + (long) count * size);
    }
  }

  private void watch(MessageQueue<byte[]> queue) {
    List<Subscriber<byte[]>> subscribers = new ArrayList<>();
    for (int i = 0; i < idle; i++) {
      subscribers.add(
          queue.subscriber(
              SubscriberConfig.builder("idle-" + i).ack(true).start(Position.latest()).build()));
    }
    cost(idle + " subscribers");
    List<Reactor<byte[]>> reactors = new ArrayList<>();
    try {
      for (Subscriber<byte[]> subscriber : subscribers) {
        reactors.add(
            Reactor.builder(subscriber).processor("empty", d -> ProcessResult.done()).start());
      }
      cost("with " + idle + " idle reactors");
    } finally {
      reactors.forEach(Reactor::close);
    }
  }

  /** The queue looks after its subscribers, so what counts is the difference. */
  private void cost(String what) {
    rest(Duration.ofSeconds(2)); // threads end
    int threads = Thread.activeCount();
    long cpu = cpuNanos();
    rest(Duration.ofSeconds(seconds));
    out()
        .printf(
            Locale.ROOT,
            "%s: %.2f %% of a processor, %d threads in all%n",
            what,
            100.0 * (cpuNanos() - cpu) / TimeUnit.SECONDS.toNanos(seconds),
            threads);
  }

  private static long cpuNanos() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
  }

  private void rest(Duration duration) {
    long end = time.nanoTime() + duration.toNanos();
    for (long left = end - time.nanoTime(); left > 0; left = end - time.nanoTime()) {
      time.park(this, left);
    }
  }
}
