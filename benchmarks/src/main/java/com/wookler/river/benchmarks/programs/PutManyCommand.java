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
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code put-many}: clients put items as fast as they can.
 *
 * <p>Each client puts n/c items, the remainder is dropped. {@code usec/put} is the wall time by the
 * items of all clients: the inverse of the throughput, not a latency. The latencies follow, one a
 * request, so one a burst with {@code -r}.
 *
 * <p>Unlike the original: {@code -Q} counts, client i uses queue i mod Q (there all items went to
 * one queue); {@code Distribution in usec} is in microseconds (there in milliseconds); the last
 * burst of a client is shorter if its items are no multiple of {@code -r} (there it put more than
 * it told).
 */
@Command(name = "put-many", description = "Puts items from many threads as fast as they can.")
public final class PutManyCommand implements Callable<Integer> {
  @Mixin private QueueFlags flags = new QueueFlags();

  @Option(
      names = "-c",
      paramLabel = "CLIENTS",
      defaultValue = "100",
      description = "Threads that put. Default: ${DEFAULT-VALUE}.")
  private int clients;

  @Option(
      names = "-n",
      paramLabel = "ITEMS",
      defaultValue = "10000",
      description = "Items in all. Default: ${DEFAULT-VALUE}.")
  private int items;

  @Option(
      names = "-b",
      paramLabel = "BYTES",
      defaultValue = "1024",
      description = "Of an item. Default: ${DEFAULT-VALUE}.")
  private int bytes;

  @Option(
      names = "-r",
      paramLabel = "ITEMS",
      defaultValue = "1",
      description = "Items put, or got, by one request. Default: ${DEFAULT-VALUE}.")
  private int rollup;

  @Option(
      names = "-Q",
      paramLabel = "QUEUES",
      defaultValue = "1",
      description = "Queues over which the clients are spread. Default: ${DEFAULT-VALUE}.")
  private int queueCount;

  @Option(names = "-g", description = "Get the items afterwards.")
  private boolean get;

  @Spec private CommandSpec spec;

  private final TimeSource time = TimeSource.system();

  /** Made by the command line, which sets the options. */
  @SuppressWarnings("NullAway.Init")
  public PutManyCommand() {}

  @Override
  public Integer call() throws Exception {
    if (clients < 1 || items < clients || bytes < 0 || rollup < 1 || queueCount < 1) {
      throw new UsageException("-c, -r and -Q are at least 1, -b at least 0, -n at least -c");
    }
    PrintWriter out = spec.commandLine().getOut();
    byte[] item = Spam.text(bytes);
    try (SpamQueues queues = SpamQueues.open(flags, queueCount, out)) {
      queues.flush(flags, out);
      announce("Put %d items of %d bytes in bursts of %d to", queues);
      cycle(queues, (client, timings) -> put(queues, client, item, timings));
      if (get) {
        announce("Get %d items of %d bytes in batches of %d from", queues);
        cycle(queues, (client, timings) -> get(queues, client, item, timings));
      }
    }
    return CommandLine.ExitCode.OK;
  }

  private void announce(String what, SpamQueues queues) {
    spec.commandLine()
        .getOut()
        .printf(
            Locale.ROOT,
            what + " %s in %d queues named %s using %d clients.%n",
            items,
            bytes,
            rollup,
            queues.place(),
            queueCount,
            flags.name(),
            clients);
  }

  /** What one client does. */
  @FunctionalInterface
  private interface Session {
    void run(int client, Timings timings) throws Exception;
  }

  private void cycle(SpamQueues queues, Session session) throws Exception {
    int each = items / clients;
    Timings timings = new Timings(clients, (each + rollup - 1) / rollup);
    Clients all = new Clients(queues, time);
    for (int i = 0; i < clients; i++) {
      int client = i;
      all.add("CLIENT-" + i, () -> session.run(client, timings));
    }
    long millis = TimeUnit.NANOSECONDS.toMillis(all.run());
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        Locale.ROOT,
        "Finished in %d msec (%.1f usec/put throughput).%n",
        millis,
        millis * 1000.0 / (each * clients));
    timings.print(out);
  }

  private void put(SpamQueues queues, int client, byte[] item, Timings timings) {
    SpamQueue queue = queues.get(client % queueCount);
    int request = 0;
    for (int left = items / clients; left > 0; left -= rollup) {
      List<byte[]> burst = Collections.nCopies(Math.min(rollup, left), item);
      long started = time.nanoTime();
      if (rollup == 1) {
        queue.put(item);
      } else {
        queue.putAll(burst);
      }
      timings.set(client, request++, time.nanoTime() - started);
    }
  }

  private void get(SpamQueues queues, int client, byte[] item, Timings timings)
      throws InterruptedException {
    try (Getter getter = new Getter(queues.get(client % queueCount), false)) {
      int request = 0;
      int left = items / clients;
      while (left > 0) {
        long started = time.nanoTime();
        List<byte[]> got = rollup == 1 ? one(getter) : getter.get(Math.min(rollup, left));
        timings.set(client, request++, time.nanoTime() - started);
        if (got.isEmpty() || !got.stream().allMatch(data -> Arrays.equals(data, item))) {
          throw new IllegalStateException("Unexpected response at " + request + "!");
        }
        left -= got.size();
      }
    }
  }

  private static List<byte[]> one(Getter getter) throws InterruptedException {
    byte[] data = getter.get(false);
    return data == null ? List.of() : List.of(data);
  }
}
