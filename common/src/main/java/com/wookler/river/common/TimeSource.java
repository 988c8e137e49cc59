package com.wookler.river.common;

import java.time.Instant;
import java.util.concurrent.locks.LockSupport;

/**
 * River's source of time: a monotonic clock for timeouts and delays, and the wall clock, which
 * people and the network set, forwards and backwards. Implementations may be called from any
 * thread.
 */
public interface TimeSource {
  /**
   * Returns monotonic nanoseconds from an arbitrary origin; only differences are meaningful.
   * Setting the wall clock does not affect it.
   */
  long nanoTime();

  /** Returns the time of the wall clock, which goes back when the clock is set back. */
  Instant wallTime();

  /** Returns {@link #wallTime()} as microseconds since 1970-01-01T00:00Z, without allocation. */
  long epochMicros();

  /**
   * Parks the calling thread for at most {@code nanos} nanoseconds of this source's time; returns
   * at once if that is not positive, and early when the thread is unparked or interrupted, or
   * spuriously: callers check their condition and park again.
   *
   * @param blocker the object that thread dumps show as the one that the thread waits for
   */
  default void park(Object blocker, long nanos) {
    if (nanos > 0) {
      LockSupport.parkNanos(blocker, nanos);
    }
  }

  /** Returns the system's clocks. */
  static TimeSource system() {
    return SystemTimeSource.INSTANCE;
  }
}
