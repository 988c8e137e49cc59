package com.wookler.river.common.utils;

import org.jspecify.annotations.Nullable;

/**
 * Runs steps one after the other although some fail, and keeps the first failure, with the others
 * suppressed in it. Not thread-safe.
 */
public final class FirstFailure {
  private @Nullable Throwable first;

  /** Runs a step and keeps its failure. */
  public void run(Runnable step) {
    try {
      step.run();
    } catch (Throwable e) {
      if (first == null) {
        first = e;
      } else if (first != e) {
        first.addSuppressed(e);
      }
    }
  }

  /** Returns the first failure, null if no step failed. */
  public @Nullable Throwable get() {
    return first;
  }

  /** Throws the first failure, if there is any. */
  public void rethrow() {
    if (first instanceof Error error) {
      throw error;
    }
    if (first instanceof RuntimeException exception) {
      throw exception;
    }
  }
}
