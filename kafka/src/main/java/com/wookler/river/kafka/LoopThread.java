package com.wookler.river.kafka;

import com.wookler.river.common.MonitoredThread;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** The thread of a loop that has been asked to stop. Thread-safe. */
final class LoopThread {
  /** How long the end of a call that was interrupted is waited for. */
  static final Duration GRACE = Duration.ofSeconds(10);

  private LoopThread() {}

  /** Wakes the thread and waits for its end; after a time it is interrupted, as a call may hang. */
  static void end(MonitoredThread thread, Duration wait) {
    LockSupport.unpark(thread);
    if (Thread.currentThread() != thread) {
      join(thread, wait);
      if (thread.isAlive()) {
        thread.interrupt();
        join(thread, GRACE);
      }
    }
  }

  private static void join(Thread thread, Duration wait) {
    try {
      thread.join(Math.max(1, wait.toMillis()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
