package com.wookler.river.rest.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Runs the handlers of any number of streams on a few threads. A handler may block: whenever tasks
 * have waited for a moment and none was started, a thread is added, so that blocked handlers delay
 * others only briefly. Thread-safe.
 */
final class HandlerExecutor implements Executor {
  private static final Duration STALL_TIME = Duration.ofMillis(100);

  private final Transport transport;
  private final int minThreads;

  @GuardedBy("this")
  private final Deque<Runnable> waiting = new ArrayDeque<>();

  @GuardedBy("this")
  private int threads;

  @GuardedBy("this")
  private long started; // number of tasks

  @GuardedBy("this")
  private boolean checking;

  HandlerExecutor(Transport transport, int minThreads) {
    this.transport = transport;
    this.minThreads = minThreads;
  }

  @Override
  public void execute(Runnable task) {
    boolean start;
    boolean check;
    long at;
    synchronized (this) {
      waiting.add(task);
      start = threads < minThreads;
      threads += start ? 1 : 0;
      check = !start && !checking;
      checking |= check;
      at = started;
    }
    if (start) {
      transport.threads().execute(this::runTasks);
    } else if (check) {
      scheduleCheck(at);
    }
  }

  private void runTasks() {
    for (Runnable next = next(); next != null; next = next()) {
      next.run();
    }
  }

  private synchronized @Nullable Runnable next() {
    Runnable next = waiting.poll();
    if (next == null) {
      threads--;
    } else {
      started++;
    }
    return next;
  }

  private void scheduleCheck(long before) {
    var unused = transport.after(STALL_TIME).thenRun(() -> checkProgress(before));
  }

  private void checkProgress(long before) {
    long at;
    boolean stalled;
    synchronized (this) {
      if (waiting.isEmpty()) {
        checking = false;
        return;
      }
      at = started;
      stalled = at == before;
      threads += stalled ? 1 : 0;
    }
    if (stalled) {
      transport.threads().execute(this::runTasks);
    }
    scheduleCheck(at);
  }
}
