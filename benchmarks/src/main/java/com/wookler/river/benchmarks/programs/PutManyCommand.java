package com.wookler.river.benchmarks.programs;

import com.wookler.river.benchmarks.harness.UsageException;
import com.wookler.river.benchmarks.harness.WorkerGroup;
import java.util.Collections;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

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
 * it said).
 */
@Command(
    name = "put-many",
    description = "Puts items from many threads as fast as they can.",
    showDefaultValues = true)
public final class PutManyCommand extends Program {
  @Option(names = "-c", paramLabel = "CLIENTS", description = "Threads that put.")
  private int clients = 100;

  @Option(names = "-n", paramLabel = "ITEMS", description = "Items in all.")
  private int items = 10_000;

  @Option(names = "-b", paramLabel = "BYTES", description = "Of an item.")
  private int bytes = 1_024;

  @Option(names = "-r", paramLabel = "ITEMS", description = "Put, or got, by one request.")
  private int rollup = 1;

  @Option(names = "-Q", paramLabel = "QUEUES", description = "Clients are spread over them.")
  private int queueCount = 1;

  @Option(names = "-g", description = "Get the items afterwards.")
  private boolean get;

  @Override
  void check() {
    if (clients < 1 || items < clients || bytes < 0 || rollup < 1 || queueCount < 1) {
      throw new UsageException("-c, -r and -Q are at least 1, -b at least 0, -n at least -c");
    }
  }

  @Override
  int queues() {
    return queueCount;
  }

  @Override
  void run(SpamQueues queues) throws Exception {
    byte[] item = Spam.text(bytes);
    flush(queues);
    announce("Put", "bursts", "to", queues);
    cycle(queues, (queue, client, timings) -> put(queue, client, item, timings));
    if (get) {
      announce("Get", "batches", "from", queues);
      cycle(queues, (queue, client, timings) -> get(queue, client, item, timings));
    }
  }

  private void announce(String verb, String lots, String where, SpamQueues queues) {
    print(
        "%s %d items of %d bytes in %s of %d %s %s in %d queues named %s using %d clients.",
        verb, items, bytes, lots, rollup, where, queues.place(), queueCount, queueName(), clients);
  }

  /** What one client does. */
  @FunctionalInterface
  private interface Session {
    void run(SpamQueue queue, int client, Timings timings) throws Exception;
  }

  private void cycle(SpamQueues queues, Session session) throws Exception {
    int each = items / clients;
    Timings timings = new Timings(clients, (each + rollup - 1) / rollup);
    WorkerGroup all = clients(queues);
    for (int i = 0; i < clients; i++) {
      int client = i;
      SpamQueue queue = queues.get(i % queueCount);
      all.addBody("CLIENT-" + i, () -> session.run(queue, client, timings));
    }
    long millis = millis(all);
    print(
        "Finished in %d msec (%.1f usec/put throughput).",
        millis, millis * 1000.0 / (each * clients));
    timings.print(out());
  }

  private void put(SpamQueue queue, int client, byte[] item, Timings timings) {
    int request = 0;
    for (int left = items / clients; left > 0; left -= rollup) {
      List<byte[]> burst = Collections.nCopies(Math.min(rollup, left), item);
      long started = System.nanoTime();
      if (rollup == 1) {
        queue.put(item);
      } else {
        queue.putAll(burst);
      }
      timings.set(client, request++, System.nanoTime() - started);
    }
  }

  private void get(SpamQueue queue, int client, byte[] item, Timings timings)
      throws InterruptedException {
    try (Getter getter = new Getter(queue, false)) {
      int request = 0;
      for (int left = items / clients; left > 0; ) {
        long started = System.nanoTime();
        List<byte[]> got = rollup == 1 ? getter.one(false) : getter.get(Math.min(rollup, left));
        timings.set(client, request++, System.nanoTime() - started);
        String where = " at " + request;
        if (got.isEmpty()) {
          throw new IllegalStateException("Nothing came" + where + "!");
        }
        got.forEach(data -> verify(data, item, where));
        left -= got.size();
      }
    }
  }
}
