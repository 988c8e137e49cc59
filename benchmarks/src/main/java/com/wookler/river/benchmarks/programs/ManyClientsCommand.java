package com.wookler.river.benchmarks.programs;

import com.wookler.river.benchmarks.harness.UsageException;
import com.wookler.river.common.TimeSource;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

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
    description = "Trickles items from one thread to many that wait for them.")
public final class ManyClientsCommand implements Callable<Integer> {
  private static final int ITEM_BYTES = 751;

  @Mixin private QueueFlags flags = new QueueFlags();
  @Mixin private MonitorFlag monitor = new MonitorFlag();

  @Option(
      names = "-s",
      paramLabel = "MILLISECONDS",
      defaultValue = "100",
      description = "Sleep after each put. Default: ${DEFAULT-VALUE}.")
  private int sleep;

  @Option(
      names = "-n",
      paramLabel = "ITEMS",
      defaultValue = "100",
      description = "Items in all. Default: ${DEFAULT-VALUE}.")
  private int items;

  @Option(
      names = "-c",
      paramLabel = "CLIENTS",
      defaultValue = "100",
      description = "Consumers. Default: ${DEFAULT-VALUE}.")
  private int clients;

  @Option(
      names = "-k",
      paramLabel = "PERCENT",
      defaultValue = "0",
      description =
          "Of the consumers that ask, so many give their item up unread; implies -x. Default:"
              + " ${DEFAULT-VALUE}.")
  private int killPercent;

  @Option(names = "-x", description = "Acknowledge an item with the next get, not at once.")
  private boolean transactional;

  @Spec private CommandSpec spec;

  private final AtomicInteger received = new AtomicInteger();

  /** Made by the command line, which sets the options. */
  @SuppressWarnings("NullAway.Init")
  public ManyClientsCommand() {}

  @Override
  public Integer call() throws Exception {
    if (sleep < 0 || items < 0 || clients < 1 || killPercent < 0 || killPercent > 99) {
      throw new UsageException("-s and -n are at least 0, -c at least 1, -k is 0 to 99");
    }
    PrintWriter out = spec.commandLine().getOut();
    byte[] item = Spam.text(ITEM_BYTES);
    try (SpamQueues queues = SpamQueues.open(flags, 1, out)) {
      out.printf(
          Locale.ROOT,
          "many-clients: %d items to %s using %d clients, kill rate %d%%, at %d msec/item%n",
          items,
          queues.place(),
          clients,
          killPercent,
          sleep);
      queues.flush(flags, out);
      Clients all = new Clients(queues, TimeSource.system());
      for (int i = 0; i < clients; i++) {
        all.add("CONSUMER-" + i, () -> consume(queues, item));
      }
      all.add("PRODUCER", () -> produce(queues, item));
      monitor.during(queues, out, () -> report(all.run()));
    }
    return CommandLine.ExitCode.OK;
  }

  private void report(long nanos) {
    long millis = TimeUnit.NANOSECONDS.toMillis(nanos);
    spec.commandLine()
        .getOut()
        .printf(Locale.ROOT, "Received %d items in %d msec.%n", received.get(), millis);
  }

  private void produce(SpamQueues queues, byte[] item) throws InterruptedException {
    for (int i = 0; i < items; i++) {
      queues.get(0).put(item);
      Thread.sleep(sleep);
    }
  }

  private void consume(SpamQueues queues, byte[] item) throws InterruptedException {
    try (Getter getter = new Getter(queues.get(0), transactional || killPercent > 0)) {
      while (received.get() < items) {
        if (ThreadLocalRandom.current().nextInt(100) < killPercent) {
          getter.lose();
          continue;
        }
        byte[] data = getter.get(true);
        if (data == null) {
          continue; // another one was faster
        }
        if (!Arrays.equals(data, item)) {
          throw new IllegalStateException("Unexpected response!");
        }
        received.incrementAndGet();
      }
    }
  }
}
