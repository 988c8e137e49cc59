package com.wookler.river.benchmarks.scale;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what happens in the background. */
final class Await {
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private Await() {}

  /**
   * Returns when it is so.
   *
   * @throws IllegalStateException it was not in time
   */
  static void until(BooleanSupplier condition, Duration patience, String what) {
    long deadline = System.nanoTime() + patience.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new IllegalStateException("waited " + patience + " for: " + what);
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }
}
