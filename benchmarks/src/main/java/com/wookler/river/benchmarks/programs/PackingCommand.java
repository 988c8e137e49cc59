package com.wookler.river.benchmarks.programs;

import com.wookler.river.benchmarks.harness.UsageException;
import com.wookler.river.common.TimeSource;
import java.io.PrintWriter;
import java.util.Arrays;
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
 * {@code packing}: a queue that has fallen behind and stays behind, while old blocks go. n items
 * are written; then so many times n are written and n read at once, with a pause after each; then
 * the last n are read. Items are numbered and must come in order.
 *
 * <p>A cycle's read time is from its start until its reader has ended.
 */
@Command(
    name = "packing",
    description = "Writes and reads in cycles, always behind; verifies the order.")
public final class PackingCommand implements Callable<Integer> {
  @Mixin private QueueFlags flags = new QueueFlags();
  @Mixin private MonitorFlag monitor = new MonitorFlag();

  @Option(
      names = "-n",
      paramLabel = "ITEMS",
      defaultValue = "25000",
      description = "Items of a cycle. Default: ${DEFAULT-VALUE}.")
  private int items;

  @Option(
      names = "-k",
      paramLabel = "KILOBYTES",
      defaultValue = "1",
      description = "Of an item. Default: ${DEFAULT-VALUE}.")
  private int kilobytes;

  @Option(
      names = "-t",
      paramLabel = "SECONDS",
      defaultValue = "1",
      description = "Pause between cycles. Default: ${DEFAULT-VALUE}.")
  private int pause;

  @Option(
      names = "-c",
      paramLabel = "CYCLES",
      defaultValue = "100",
      description = "How many. Default: ${DEFAULT-VALUE}.")
  private int cycles;

  @Option(names = "-x", description = "Acknowledge an item with the next get, not at once.")
  private boolean transactional;

  @Spec private CommandSpec spec;

  /** Made by the command line, which sets the options. */
  @SuppressWarnings("NullAway.Init")
  public PackingCommand() {}

  @Override
  public Integer call() throws Exception {
    if (items < 1 || kilobytes < 1 || pause < 0 || cycles < 0) {
      throw new UsageException("-n and -k are at least 1, -t and -c at least 0");
    }
    PrintWriter out = spec.commandLine().getOut();
    byte[] filling = Spam.kilobytes(kilobytes);
    try (SpamQueues queues = SpamQueues.open(flags, 1, out)) {
      out.printf(
          Locale.ROOT,
          "packing: %d items of %dkB with %d second pauses%n",
          items,
          kilobytes,
          pause);
      queues.flush(flags, out);
      monitor.during(queues, out, () -> cycles(queues, filling));
    }
    return CommandLine.ExitCode.OK;
  }

  private void cycles(SpamQueues queues, byte[] filling) throws Exception {
    cycle(queues, filling, -1, 0);
    for (int i = 0; i < cycles; i++) {
      spec.commandLine().getOut().println("cycle: " + (i + 1));
      cycle(queues, filling, i, i + 1);
      TimeUnit.SECONDS.sleep(pause);
    }
    cycle(queues, filling, cycles, -1);
  }

  /** Reads and writes one lot of items each; none if the lot is negative. */
  private void cycle(SpamQueues queues, byte[] filling, int readLot, int writeLot)
      throws Exception {
    Clients both = new Clients(queues, TimeSource.system());
    AtomicLong misses = new AtomicLong();
    if (writeLot >= 0) {
      both.add("PRODUCER", () -> write(queues, filling, (long) writeLot * items));
    }
    if (readLot >= 0) {
      both.add("CONSUMER", () -> misses.set(read(queues, filling, (long) readLot * items)));
    }
    long nanos = both.run();
    if (readLot >= 0) {
      spec.commandLine()
          .getOut()
          .printf(
              Locale.ROOT,
              "Read %d items in %d msec. Consumer spun %d times in misses.%n",
              items,
              TimeUnit.NANOSECONDS.toMillis(nanos),
              misses.get());
    }
  }

  private void write(SpamQueues queues, byte[] filling, long first) {
    for (int i = 0; i < items; i++) {
      queues.get(0).put(Spam.numbered(first + i, filling));
    }
    spec.commandLine()
        .getOut()
        .printf(Locale.ROOT, "Wrote %d items starting at %d.%n", items, first);
  }

  private long read(SpamQueues queues, byte[] filling, long first) throws InterruptedException {
    long misses = 0;
    try (Getter getter = new Getter(queues.get(0), transactional)) {
      for (int i = 0; i < items; ) {
        byte[] data = getter.get(true);
        if (data == null) {
          misses++;
          continue;
        }
        if (!Arrays.equals(data, Spam.numbered(first + i, filling))) {
          throw new IllegalStateException("Unexpected response at " + (first + i) + "!");
        }
        i++;
      }
    }
    return misses;
  }
}
