package com.wookler.river.benchmarks.programs;

import com.wookler.river.benchmarks.harness.UsageException;
import com.wookler.river.benchmarks.harness.WorkerGroup;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code many-clients}: one producer puts an item of 751 bytes now and then, and many consumers
 * wait for each. It takes as long as the sleeps, and up to a second more for the last waits: a
 * trial that everything is delivered once, not a speed test.
 *
 * <p>A consumer that {@code -k} kills has asked and is gone before it has its reply: the item that
 * it would have had goes to another one, by {@code release}, which is what a server does when a
 * connection ends.
 */
@Command(
    name = "many-clients",
    description = "Trickles items from one thread to many that wait for them.",
    showDefaultValues = true)
public final class ManyClientsCommand extends Program {
  private static final int ITEM_BYTES = 751;

  @Mixin private MonitorFlag monitor = new MonitorFlag();

  @Option(names = "-s", paramLabel = "MILLISECONDS", description = "Sleep after each put.")
  private int sleep = 100;

  @Option(names = "-n", paramLabel = "ITEMS", description = "Items in all.")
  private int items = 100;

  @Option(names = "-c", paramLabel = "CLIENTS", description = "Consumers.")
  private int clients = 100;

  @Option(
      names = "-k",
      paramLabel = "PERCENT",
      description = "Of the consumers that ask, so many give their item up unread; implies -x.")
  private int killPercent;

  @Option(names = "-x", description = "Acknowledge an item with the next get, not at once.")
  private boolean transactional;

  private final AtomicInteger received = new AtomicInteger();

  @Override
  void check() {
    if (sleep < 0 || items < 0 || clients < 1 || killPercent < 0 || killPercent > 99) {
      throw new UsageException("-s and -n are at least 0, -c at least 1, -k is 0 to 99");
    }
  }

  @Override
  void run(SpamQueues queues) throws Exception {
    SpamQueue queue = queues.get(0);
    byte[] item = Spam.text(ITEM_BYTES);
    print(
        "many-clients: %d items to %s using %d clients, kill rate %d%%, at %d msec/item",
        items, queues.place(), clients, killPercent, sleep);
    flush(queues);
    WorkerGroup all = clients(queues);
    for (int i = 0; i < clients; i++) {
      all.addBody("CONSUMER-" + i, () -> consume(queue, item));
    }
    all.addBody(
        "PRODUCER",
        () -> {
          for (int i = 0; i < items; i++) {
            queue.put(item);
            Thread.sleep(sleep);
          }
        });
    monitor.during(
        queue,
        out(),
        () -> {
          long millis = millis(all);
          print("Received %d items in %d msec.", received.get(), millis);
        });
  }

  private void consume(SpamQueue queue, byte[] item) throws InterruptedException {
    try (Getter getter = new Getter(queue, transactional || killPercent > 0)) {
      while (received.get() < items) {
        if (ThreadLocalRandom.current().nextInt(100) < killPercent) {
          getter.lose();
          continue;
        }
        for (byte[] data : getter.one(true)) { // none if another one was faster
          verify(data, item, "");
          received.incrementAndGet();
        }
      }
    }
  }
}
