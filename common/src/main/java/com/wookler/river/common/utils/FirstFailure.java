package com.wookler.river.common.utils;

import com.wookler.river.common.errors.RiverException;
import org.jspecify.annotations.Nullable;

/**
 * Runs steps one after the other although some fail, and keeps the first failure, with the others
 * suppressed in it. Not thread-safe.
 */
public final class FirstFailure {
  private @Nullable Throwable first;

  /** A step that may fail. */
  @FunctionalInterface
  public interface Step {
    /** Runs it. */
    void run() throws Exception;
  }

  /** Runs a step and keeps its failure. */
  public void run(Step step) {
    try {
      step.run();
    } catch (Throwable e) {
      add(e);
    }
  }

  /** Keeps a failure. */
  public void add(Throwable failure) {
    if (first == null) {
      first = failure;
    } else if (first != failure) {
      first.addSuppressed(failure);
    }
  }

  /**
   * Closes what was opened before a failure, in this order. What cannot be closed is suppressed in
   * the failure, which the caller throws.
   */
  public static void closeAfter(Throwable failure, AutoCloseable... opened) {
    FirstFailure all = new FirstFailure();
    all.first = failure;
    for (AutoCloseable each : opened) {
      all.run(each::close);
    }
  }

  /** Adds the first failure, if there is any, to those that another suppresses. */
  public void addTo(Throwable other) {
    if (first != null && first != other) {
      other.addSuppressed(first);
    }
  }

  /** Returns the first failure, null if no step failed. */
  public @Nullable Throwable get() {
    return first;
  }

  /** Throws the first failure, if there is any; one that is checked within a RiverException. */
  public void rethrow() {
    if (first instanceof Error error) {
      throw error;
    }
    if (first instanceof RuntimeException exception) {
      throw exception;
    }
    if (first != null) {
      throw new RiverException(String.valueOf(first.getMessage()), first);
    }
  }
}
