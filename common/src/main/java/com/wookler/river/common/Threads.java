package com.wookler.river.common;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Waits for threads to end. */
final class Threads {
  private static final Logger LOG = LoggerFactory.getLogger(Threads.class);
  private static final long WARN_MILLIS = 10_000;

  private Threads() {}

  /**
   * Waits until a thread has ended, unless it is the calling one, and logs a warning if that takes
   * long. An interrupt does not end the wait; the flag is set again afterwards.
   */
  static void join(Thread thread, String owner) {
    if (thread == Thread.currentThread()) {
      return;
    }
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join(WARN_MILLIS);
        if (thread.isAlive()) {
          LOG.warn("Closing {} still waits for thread {}", owner, thread.getName());
        }
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
