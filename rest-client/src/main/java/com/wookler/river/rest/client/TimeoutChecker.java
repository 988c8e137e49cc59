package com.wookler.river.rest.client;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Aborts tasks that have timed out. All tasks are checked at intervals, because a timer for each
 * request would slow every request down. Thread-safe.
 */
final class TimeoutChecker {
  private static final int CHECKS_PER_TIMEOUT = 16;
  private static final long MIN_INTERVAL_NANOS = Duration.ofMillis(5).toNanos();
  private static final long MAX_INTERVAL_NANOS = Duration.ofSeconds(1).toNanos();

  private final Transport transport;
  private final Duration interval;
  private final Set<TimedTask> tasks = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean checking = new AtomicBoolean();

  /** A task with a time limit. */
  interface TimedTask {
    /** Returns whether the time limit has passed. */
    boolean isTimedOut(long now);

    /**
     * Aborts the task if it has timed out or the client is closed; it may have completed by now.
     * Called again at each check until the task is removed. May block the calling thread.
     */
    void end();
  }

  /**
   * @param shortest the shortest time limit; tasks are checked at a sixteenth of it
   */
  TimeoutChecker(Transport transport, Duration shortest) {
    this.transport = transport;
    this.interval =
        Duration.ofNanos(
            Math.max(
                MIN_INTERVAL_NANOS,
                Math.min(MAX_INTERVAL_NANOS, shortest.toNanos() / CHECKS_PER_TIMEOUT)));
  }

  void add(TimedTask task) {
    tasks.add(task);
    ensureChecking();
  }

  void remove(TimedTask task) {
    tasks.remove(task);
  }

  /** Aborts all tasks, because the client is closed. */
  void endAll() {
    tasks.forEach(TimedTask::end);
  }

  private void ensureChecking() {
    if (!checking.get() && checking.compareAndSet(false, true)) {
      scheduleCheck();
    }
  }

  private void scheduleCheck() {
    var unused = transport.after(interval).thenRun(this::check);
  }

  private void check() {
    long now = Ticker.nanos();
    try {
      tasks.stream()
          .filter(each -> each.isTimedOut(now))
          .forEach(late -> transport.threads().execute(late::end));
    } catch (OutOfMemoryError e) {
      // no thread can be started: the next check tries again
    }
    if (tasks.isEmpty()) {
      checking.set(false);
      if (!tasks.isEmpty()) {
        ensureChecking();
      }
    } else {
      scheduleCheck();
    }
  }
}
