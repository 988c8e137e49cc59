package com.wookler.river.benchmarks.programs;

import com.wookler.river.common.MonitoredThread;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.rest.client.ClientClosedException;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Option;

/**
 * {@code -M}: a line a second on what the first queue holds. The original also told what it kept in
 * memory; River keeps no messages there.
 */
final class MonitorFlag {
  @Option(names = "-M", description = "Print a line a second on what the queue holds.")
  private boolean on;

  /** Runs the body, and prints meanwhile if the flag was given. */
  void during(SpamQueues queues, PrintWriter out, Clients.Body body) throws Exception {
    CountDownLatch stop = new CountDownLatch(1);
    if (on) {
      new MonitoredThread("MONITOR-QUEUE", () -> print(queues, out, stop)).start();
    }
    try {
      body.run();
    } finally {
      stop.countDown();
    }
  }

  private static void print(SpamQueues queues, PrintWriter out, CountDownLatch stop) {
    try {
      do {
        out.printf(
            Locale.ROOT,
            "%s: items=%d journal_bytes=%d%n",
            queues.get(0).name(),
            queues.get(0).waiting(),
            queues.get(0).bytes());
      } while (!stop.await(1, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (QueueClosedException | ClientClosedException e) {
      // a client has failed, and says why
    }
  }
}
