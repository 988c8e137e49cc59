package com.wookler.river.benchmarks.programs;

import com.wookler.river.benchmarks.harness.UsageException;
import com.wookler.river.benchmarks.harness.WorkerGroup;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code flood}: producers and consumers at once, as fast as they can.
 *
 * <p>Each producer puts n items; all consumers together get as many as all producers put, in equal
 * shares, and stop. So what {@code -P} put there first is still there at the end, and every get
 * works at that backlog. {@code usec/put} is the wall time by the items of all producers, each of
 * them a put and a get; the original divided by n times the consumers.
 */
@Command(
    name = "flood",
    description = "Puts and gets items at once, as fast as it goes.",
    showDefaultValues = true)
public final class FloodCommand extends Program {
  @Mixin private MonitorFlag monitor = new MonitorFlag();

  @Option(names = "-n", paramLabel = "ITEMS", description = "Items of each producer.")
  private int items = 10_000;

  @Option(names = "-k", paramLabel = "KILOBYTES", description = "Of an item.")
  private int kilobytes = 1;

  @Option(names = "-P", paramLabel = "ITEMS", description = "Put before, to stay behind by.")
  private int prefill;

  @Option(names = "-R", paramLabel = "PRODUCERS", description = "Threads that put.")
  private int producers = 1;

  @Option(names = "-C", paramLabel = "CONSUMERS", description = "Threads that get.")
  private int consumers = 1;

  @Option(
      names = "-r",
      paramLabel = "ITEMS",
      description =
          "Items put by one request; if more than 1, up to so many are got and acknowledged by one"
              + " that waits.")
  private int rollup = 1;

  @Option(names = "-B", description = "Wait up to a second for an item; else ask again and again.")
  private boolean blocking;

  private final AtomicLong misses = new AtomicLong();

  @Override
  void check() {
    if (items < 1 || kilobytes < 0 || prefill < 0) {
      throw new UsageException("-n is at least 1, -k and -P at least 0");
    }
    if (producers < 1 || consumers < 1 || rollup < 1) {
      throw new UsageException("-R, -C and -r are at least 1");
    }
  }

  @Override
  void run(SpamQueues queues) throws Exception {
    SpamQueue queue = queues.get(0);
    byte[] item = Spam.kilobytes(kilobytes);
    flush(queues);
    if (prefill > 0) {
      print("prefill: %d items of %dkB", prefill, kilobytes);
      put(queue, item, prefill);
    }
    print(
        "flood: %d threads each sending %d items of %dkB through %s",
        producers, items, kilobytes, queueName());
    WorkerGroup all = clients(queues);
    long total = (long) items * producers;
    for (int i = 0; i < producers; i++) {
      all.addBody("PRODUCER-" + i, () -> put(queue, item, items));
    }
    for (int i = 0; i < consumers; i++) {
      long share = total / consumers + (i < total % consumers ? 1 : 0);
      all.addBody("CONSUMER-" + i, () -> get(queue, item, share));
    }
    monitor.during(
        queue,
        out(),
        () -> {
          long millis = millis(all);
          print("Finished in %d msec (%.1f usec/put throughput).", millis, millis * 1000.0 / total);
          print("Consumer spun %d times in misses.", misses.get());
        });
  }

  private void put(SpamQueue queue, byte[] item, int count) {
    for (int left = count; left > 0; left -= rollup) {
      if (rollup == 1) {
        queue.put(item);
      } else {
        queue.putAll(Collections.nCopies(Math.min(rollup, left), item));
      }
    }
  }

  private void get(SpamQueue queue, byte[] item, long count) throws InterruptedException {
    long missed = 0;
    try (Getter getter = new Getter(queue, false)) {
      long left = count;
      while (left > 0) {
        List<byte[]> got =
            rollup == 1 ? getter.one(blocking) : getter.get((int) Math.min(rollup, left));
        got.forEach(data -> verify(data, item, ""));
        missed += got.isEmpty() ? 1 : 0;
        left -= got.size();
      }
    }
    misses.addAndGet(missed);
  }
}
