package com.wookler.river.benchmarks.programs;

import com.wookler.river.benchmarks.harness.UsageException;
import com.wookler.river.benchmarks.harness.WorkerGroup;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code packing}: a queue that has fallen behind and stays behind, while old blocks go. n items
 * are written; then, for each cycle, n are written and n read at once, with a pause after each;
 * then the last n are read. Items are numbered and must come in order.
 *
 * <p>A cycle's read time is from its start until its reader and its writer have ended.
 */
@Command(
    name = "packing",
    description = "Writes and reads in cycles, always behind; verifies the order.",
    showDefaultValues = true)
public final class PackingCommand extends Program {
  @Mixin private MonitorFlag monitor = new MonitorFlag();

  @Option(names = "-n", paramLabel = "ITEMS", description = "Items of a cycle.")
  private int items = 25_000;

  @Option(names = "-k", paramLabel = "KILOBYTES", description = "Of an item.")
  private int kilobytes = 1;

  @Option(names = "-t", paramLabel = "SECONDS", description = "Pause between cycles.")
  private int pause = 1;

  @Option(names = "-c", paramLabel = "CYCLES", description = "How many.")
  private int cycles = 100;

  @Option(names = "-x", description = "Acknowledge an item with the next get, not at once.")
  private boolean transactional;

  @Override
  void check() {
    if (items < 1 || kilobytes < 1 || pause < 0 || cycles < 0) {
      throw new UsageException("-n and -k are at least 1, -t and -c at least 0");
    }
  }

  @Override
  void run(SpamQueues queues) throws Exception {
    byte[] filling = Spam.kilobytes(kilobytes);
    print("packing: %d items of %dkB with %d second pauses", items, kilobytes, pause);
    flush(queues);
    monitor.during(
        queues.get(0),
        out(),
        () -> {
          cycle(queues, filling, -1, 0);
          for (int i = 0; i < cycles; i++) {
            print("cycle: %d", i + 1);
            cycle(queues, filling, i, i + 1);
            TimeUnit.SECONDS.sleep(pause);
          }
          cycle(queues, filling, cycles, -1);
        });
  }

  /** Reads and writes one lot of items each; none if the lot is negative. */
  private void cycle(SpamQueues queues, byte[] filling, int readLot, int writeLot)
      throws Exception {
    SpamQueue queue = queues.get(0);
    WorkerGroup both = clients(queues);
    AtomicLong misses = new AtomicLong();
    if (writeLot >= 0) {
      both.addBody("PRODUCER", () -> write(queue, filling, (long) writeLot * items));
    }
    if (readLot >= 0) {
      both.addBody("CONSUMER", () -> misses.set(read(queue, filling, (long) readLot * items)));
    }
    long millis = millis(both);
    if (readLot >= 0) {
      print(
          "Read %d items in %d msec. Consumer spun %d times in misses.",
          items, millis, misses.get());
    }
  }

  private void write(SpamQueue queue, byte[] filling, long first) {
    for (int i = 0; i < items; i++) {
      queue.put(Spam.numbered(first + i, filling));
    }
    print("Wrote %d items starting at %d.", items, first);
  }

  private long read(SpamQueue queue, byte[] filling, long first) throws InterruptedException {
    long misses = 0;
    try (Getter getter = new Getter(queue, transactional)) {
      for (long next = first; next < first + items; ) {
        int got = 0;
        for (byte[] data : getter.one(true)) {
          verify(data, Spam.numbered(next, filling), " at " + next);
          got++;
        }
        next += got;
        misses += 1 - got;
      }
    }
    return misses;
  }
}
