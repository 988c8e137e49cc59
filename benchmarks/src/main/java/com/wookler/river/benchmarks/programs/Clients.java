package com.wookler.river.benchmarks.programs;

import com.wookler.river.common.MonitoredThread;
import com.wookler.river.common.TimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The clients of one program or phase: all are started, then all are waited for. */
final class Clients {
  private final SpamQueues queues;
  private final TimeSource time;
  private final List<MonitoredThread> threads = new ArrayList<>(); // of the thread that runs them
  private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();

  /** None yet. */
  Clients(SpamQueues queues, TimeSource time) {
    this.queues = queues;
    this.time = time;
  }

  /** What one client does. */
  @FunctionalInterface
  interface Body {
    /** Does it. */
    void run() throws Exception;
  }

  /** Adds one. */
  void add(String name, Body body) {
    threads.add(new MonitoredThread(name, () -> attempt(body)));
  }

  private void attempt(Body body) {
    try {
      body.run();
    } catch (Exception e) {
      fail(e);
    }
  }

  /** The others must not wait for what this one would have done: they lose their queues. */
  private void fail(Exception cause) {
    if (!failure.compareAndSet(null, cause)) {
      return;
    }
    try {
      queues.close();
    } catch (Exception e) {
      cause.addSuppressed(e);
    }
  }

  /**
   * Runs them all.
   *
   * @return nanoseconds from before the first was started until the last had ended
   * @throws Exception of the first that failed
   */
  long run() throws Exception {
    long started = time.nanoTime();
    threads.forEach(MonitoredThread::start);
    for (MonitoredThread thread : threads) {
      thread.join();
    }
    long nanos = time.nanoTime() - started;
    Exception first = failure.get();
    if (first != null) {
      throw first;
    }
    return nanos;
  }
}
