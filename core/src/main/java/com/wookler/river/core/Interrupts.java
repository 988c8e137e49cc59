package com.wookler.river.core;

import com.wookler.river.common.errors.RiverException;
import java.nio.channels.ClosedByInterruptException;
import java.util.function.Supplier;

/** Keeps an interrupt of the caller's thread until River is done with its files. */
final class Interrupts {
  private static final int TRIES = 5; // a thread that is interrupted more often is to end

  private Interrupts() {}

  /**
   * Runs bounded work with the interrupt flag down, and puts it up again afterwards: a file channel
   * closes for good when the thread that uses it is interrupted.
   */
  static void defer(Runnable work) {
    boolean interrupted = Thread.interrupted();
    try {
      work.run();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Runs work with deferred interrupts, again if one has closed a file. Work that fails must leave
   * nothing open.
   */
  static <T> T deferred(Supplier<T> work) {
    boolean interrupted = false;
    try {
      for (int tries = 1; ; tries++) {
        interrupted |= Thread.interrupted();
        try {
          return work.get();
        } catch (RiverException e) {
          if (tries == TRIES || !isByInterrupt(e)) {
            throw e;
          }
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static boolean isByInterrupt(Throwable e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof ClosedByInterruptException) {
        return true;
      }
    }
    return false;
  }
}
