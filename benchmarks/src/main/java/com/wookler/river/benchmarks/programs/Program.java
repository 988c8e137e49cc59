package com.wookler.river.benchmarks.programs;

import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;
import com.wookler.river.benchmarks.harness.Context;
import com.wookler.river.benchmarks.harness.WorkerGroup;
import com.wookler.river.common.MonitoredThread;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.rest.client.ClientClosedException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A load program: its queues, its clients and what it prints. */
abstract class Program implements Callable<Integer> {
  /** How long a get that waits waits. */
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  @Mixin private QueueFlags flags = new QueueFlags();

  @Spec private CommandSpec spec;

  /** Creates it; the command line sets the options. */
  @SuppressWarnings("NullAway.Init")
  Program() {}

  /** {@code -M}: prints a line a second on what the first queue holds. */
  static final class MonitorFlag {
    @Option(names = "-M", description = "Print a line a second on what the queue holds.")
    private boolean on;

    /** Runs the body, and prints meanwhile if the flag was given. */
    void during(SpamQueue queue, PrintWriter out, WorkerGroup.Body body) throws Exception {
      CountDownLatch stop = new CountDownLatch(1);
      if (on) {
        new MonitoredThread("MONITOR-QUEUE", () -> print(queue, out, stop)).start();
      }
      try {
        body.run();
      } finally {
        stop.countDown();
      }
    }

    private static void print(SpamQueue queue, PrintWriter out, CountDownLatch stop) {
      try {
        do {
          out.println(
              Context.text(
                  "%s: items=%d journal_bytes=%d", queue.name(), queue.waiting(), queue.bytes()));
        } while (!stop.await(1, TimeUnit.SECONDS));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (QueueClosedException | ClientClosedException e) {
        // a client has failed, and says why
      }
    }
  }

  /**
   * Checks the options.
   *
   * @throws com.wookler.river.benchmarks.harness.UsageException they make no sense
   */
  abstract void check();

  abstract void run(SpamQueues queues) throws Exception;

  int queues() {
    return 1;
  }

  @Override
  public final Integer call() throws Exception {
    check();
    flags.check(out());
    try (SpamQueues queues = SpamQueues.open(flags, queues())) {
      run(queues);
    }
    return CommandLine.ExitCode.OK;
  }

  final String queueName() {
    return flags.name();
  }

  final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  @FormatMethod
  final void print(@FormatString String format, Object... values) {
    out().println(Context.text(format, values));
  }

  /** Empties the queues, unless {@code -F} says otherwise. */
  final void flush(SpamQueues queues) {
    if (!flags.keep()) {
      print("Flushing queues first.");
      queues.purge();
    }
  }

  /** Returns clients, none yet; if one fails the others lose their queues, and end too. */
  static WorkerGroup clients(SpamQueues queues) {
    return new WorkerGroup(() -> {}, queues::close);
  }

  static long millis(WorkerGroup clients) throws Exception {
    return TimeUnit.NANOSECONDS.toMillis(clients.work().nanos());
  }

  static void verify(byte[] data, byte[] item, String where) {
    if (!Arrays.equals(data, item)) {
      throw new IllegalStateException("Unexpected response" + where + "!");
    }
  }

  /**
   * How one client reads. Plain: a get takes and acknowledges. Transactional, the original's {@code
   * /close/open}: a get acknowledges what the last one took, then takes. Confined to one client.
   */
  static final class Getter implements AutoCloseable {
    private final SpamQueue queue;
    private final boolean transactional;
    private SpamQueue.Taken open = SpamQueue.Taken.NOTHING; // not acknowledged yet

    Getter(SpamQueue queue, boolean transactional) {
      this.queue = queue;
      this.transactional = transactional;
    }

    /** Gets one, waiting for a second or not at all; none is a miss. */
    List<byte[]> one(boolean waiting) throws InterruptedException {
      return get(1, waiting ? PATIENCE : Duration.ZERO);
    }

    /** Gets up to {@code max}, waiting for a second; none is a miss. */
    List<byte[]> get(int max) throws InterruptedException {
      return get(max, PATIENCE);
    }

    private List<byte[]> get(int max, Duration wait) throws InterruptedException {
      close();
      open = queue.take(max, wait);
      List<byte[]> data = open.data();
      if (!transactional) {
        close();
      }
      return data;
    }

    /** Gets one whose client is gone before it has the reply: it goes to another. */
    void lose() throws InterruptedException {
      close();
      SpamQueue.Taken taken = queue.take(1, Duration.ZERO);
      if (!taken.data().isEmpty()) {
        taken.release().run();
      }
    }

    /** Acknowledges what the last get took. */
    @Override
    public void close() {
      if (!open.data().isEmpty()) {
        open.ack().run();
        open = SpamQueue.Taken.NOTHING;
      }
    }
  }
}
