package com.wookler.river.core;

import java.util.function.Supplier;

/** Keeps an interrupt of the caller's thread until River is done with its files. */
final class Interrupts {
  private Interrupts() {}

  /**
   * Runs work with the thread's interrupt flag down, and puts it up again afterwards: a file
   * channel closes for good when the thread that uses it is interrupted. The work must be bounded.
   */
  static void defer(Runnable work) {
    deferred(
        () -> {
          work.run();
          return true;
        });
  }

  /** Likewise, with a result. */
  static <T> T deferred(Supplier<T> work) {
    boolean interrupted = Thread.interrupted();
    try {
      return work.get();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
