package com.wookler.river.common;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Waiting for threads to end. */
final class Joins {
  private static final Logger LOG = LoggerFactory.getLogger(Joins.class);
  private static final long WARN_MILLIS = 10_000;

  private Joins() {}

  /**
   * Waits for a thread, but not for the calling one; interrupts are kept for afterwards. Says so if
   * it takes long.
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
