package com.wookler.river.common;

import com.wookler.river.common.errors.RiverException;
import java.nio.channels.ClosedByInterruptException;
import java.util.function.Supplier;

/** Keeps an interrupt of the caller's thread until River is done with its files. */
public final class Interrupts {
  private static final int TRIES = 5; // a thread that is interrupted more often is to end

  private Interrupts() {}

  /** Bounded work with files. */
  @FunctionalInterface
  public interface Work<T, E extends Exception> {
    T run() throws E;
  }

  /**
   * Returns the result of bounded work that runs with the interrupt flag down, and puts the flag up
   * again afterwards: a file channel closes for good when the thread that uses it is interrupted.
   */
  public static <T, E extends Exception> T held(Work<T, E> work) throws E {
    boolean interrupted = Thread.interrupted();
    try {
      return work.run();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Bounded work with files that has no result. */
  @FunctionalInterface
  public interface Task<E extends Exception> {
    void run() throws E;
  }

  /** Runs bounded work as {@link #held} does. */
  public static <E extends Exception> void defer(Task<E> work) throws E {
    Boolean unused =
        held(
            () -> {
              work.run();
              return true;
            });
  }

  /**
   * Returns the result of work with deferred interrupts, which runs again if one has closed a file.
   * Work that fails must leave nothing open.
   */
  public static <T> T deferred(Supplier<T> work) {
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
