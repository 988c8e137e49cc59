package com.wookler.river.benchmarks.programs;

import com.wookler.river.benchmarks.harness.UsageException;
import com.wookler.river.common.TimeSource;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code flood}: producers and consumers at once, as fast as they can.
 *
 * <p>Each producer puts n items; all consumers together get as many as all producers put, in equal
 * shares, and stop. So what {@code -P} put there first is still there at the end, and every get
 * works at that backlog. {@code usec/put} is the wall time by the items of all producers, each of
 * them a put and a get; the original divided by n times the consumers.
 */
@Command(name = "flood", description = "Puts and gets items at once, as fast as it goes.")
public final class FloodCommand implements Callable<Integer> {
  @Mixin private QueueFlags flags = new QueueFlags();
  @Mixin private MonitorFlag monitor = new MonitorFlag();

  @Option(
      names = "-n",
      paramLabel = "ITEMS",
      defaultValue = "10000",
      description = "Items of each producer. Default: ${DEFAULT-VALUE}.")
  private int items;

  @Option(
      names = "-k",
      paramLabel = "KILOBYTES",
      defaultValue = "1",
      description = "Of an item. Default: ${DEFAULT-VALUE}.")
  private int kilobytes;

  @Option(
      names = "-P",
      paramLabel = "ITEMS",
      defaultValue = "0",
      description = "Items put before the test, to stay behind by. Default: ${DEFAULT-VALUE}.")
  private int prefill;

  @Option(
      names = "-R",
      paramLabel = "PRODUCERS",
      defaultValue = "1",
      description = "Threads that put. Default: ${DEFAULT-VALUE}.")
  private int producers;

  @Option(
      names = "-C",
      paramLabel = "CONSUMERS",
      defaultValue = "1",
      description = "Threads that get. Default: ${DEFAULT-VALUE}.")
  private int consumers;

  @Option(
      names = "-r",
      paramLabel = "ITEMS",
      defaultValue = "1",
      description =
          "Items put by one request; if more than 1, up to so many are got and acknowledged by one"
              + " that waits. Default: ${DEFAULT-VALUE}.")
  private int rollup;

  @Option(names = "-B", description = "Wait up to a second for an item; else ask again and again.")
  private boolean blocking;

  @Spec private CommandSpec spec;

  private final AtomicLong misses = new AtomicLong();

  /** Made by the command line, which sets the options. */
  @SuppressWarnings("NullAway.Init")
  public FloodCommand() {}

  @Override
  public Integer call() throws Exception {
    if (items < 1 || kilobytes < 0 || prefill < 0) {
      throw new UsageException("-n is at least 1, -k and -P at least 0");
    }
    if (producers < 1 || consumers < 1 || rollup < 1) {
      throw new UsageException("-R, -C and -r are at least 1");
    }
    PrintWriter out = spec.commandLine().getOut();
    byte[] item = Spam.kilobytes(kilobytes);
    try (SpamQueues queues = SpamQueues.open(flags, 1, out)) {
      queues.flush(flags, out);
      if (prefill > 0) {
        out.printf(Locale.ROOT, "prefill: %d items of %dkB%n", prefill, kilobytes);
        put(queues, item, prefill);
      }
      out.printf(
          Locale.ROOT,
          "flood: %d threads each sending %d items of %dkB through %s%n",
          producers,
          items,
          kilobytes,
          flags.name());
      monitor.during(queues, out, () -> report(flood(queues, item)));
    }
    return CommandLine.ExitCode.OK;
  }

  private long flood(SpamQueues queues, byte[] item) throws Exception {
    Clients all = new Clients(queues, TimeSource.system());
    long total = (long) items * producers;
    for (int i = 0; i < producers; i++) {
      all.add("PRODUCER-" + i, () -> put(queues, item, items));
    }
    for (int i = 0; i < consumers; i++) {
      long share = total / consumers + (i < total % consumers ? 1 : 0);
      all.add("CONSUMER-" + i, () -> get(queues, item, share));
    }
    return all.run();
  }

  private void report(long nanos) {
    PrintWriter out = spec.commandLine().getOut();
    long millis = TimeUnit.NANOSECONDS.toMillis(nanos);
    out.printf(
        Locale.ROOT,
        "Finished in %d msec (%.1f usec/put throughput).%n",
        millis,
        millis * 1000.0 / ((long) items * producers));
    out.printf(Locale.ROOT, "Consumer spun %d times in misses.%n", misses.get());
  }

  private void put(SpamQueues queues, byte[] item, int count) {
    SpamQueue queue = queues.get(0);
    for (int left = count; left > 0; left -= rollup) {
      if (rollup == 1) {
        queue.put(item);
      } else {
        queue.putAll(Collections.nCopies(Math.min(rollup, left), item));
      }
    }
  }

  private void get(SpamQueues queues, byte[] item, long count) throws InterruptedException {
    long missed = 0;
    try (Getter getter = new Getter(queues.get(0), false)) {
      long left = count;
      while (left > 0) {
        int got = rollup == 1 ? one(getter, item) : several(getter, item, left);
        missed += got == 0 ? 1 : 0;
        left -= got;
      }
    }
    misses.addAndGet(missed);
  }

  private int one(Getter getter, byte[] item) throws InterruptedException {
    byte[] data = getter.get(blocking);
    if (data == null) {
      return 0;
    }
    verify(data, item);
    return 1;
  }

  private int several(Getter getter, byte[] item, long left) throws InterruptedException {
    List<byte[]> got = getter.get((int) Math.min(rollup, left));
    got.forEach(data -> verify(data, item));
    return got.size();
  }

  private static void verify(byte[] data, byte[] item) {
    if (!Arrays.equals(data, item)) {
      throw new IllegalStateException("Unexpected response!");
    }
  }
}
