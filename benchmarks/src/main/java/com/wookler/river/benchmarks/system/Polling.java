package com.wookler.river.benchmarks.system;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Looking again and again, for a store that wakes nobody. */
final class Polling {
  private static final long PAUSE_NANOS = 50_000;

  private final long end;

  Polling(Duration timeout) {
    this.end = timeout.isZero() ? 0 : System.nanoTime() + timeout.toNanos();
  }

  /** Rests a moment; false if the time is over. */
  boolean again() {
    if (end == 0 || System.nanoTime() - end >= 0) {
      return false;
    }
    LockSupport.parkNanos(this, PAUSE_NANOS);
    return true;
  }
}
