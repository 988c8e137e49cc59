package com.wookler.river.common;

import java.time.Instant;
import java.util.concurrent.locks.LockSupport;

/**
 * Where River takes its time from: a monotonic clock, by which it measures timeouts and delays, and
 * the wall clock, which people and the network set, forwards and backwards. Implementations may be
 * called from any thread.
 */
public interface TimeSource {
  /**
   * Monotonic nanoseconds from an arbitrary origin; only differences mean something. It does not
   * notice that the wall clock is set.
   */
  long nanoTime();

  /** The time of day by the wall clock: it goes back when that is set back. */
  Instant wallTime();

  /** {@link #wallTime()} as microseconds since 1970-01-01T00:00Z, without allocation. */
  long epochMicros();

  /**
   * Parks the calling thread for at most {@code nanos} nanoseconds of this source's time; returns
   * at once if that is not positive, early when the thread is unparked or interrupted, and
   * sometimes for no reason: callers check and park again.
   *
   * @param blocker the object shown in thread dumps as what the thread waits for
   */
  default void park(Object blocker, long nanos) {
    if (nanos > 0) {
      LockSupport.parkNanos(blocker, nanos);
    }
  }

  /** The system's clocks. */
  static TimeSource system() {
    return SystemTimeSource.INSTANCE;
  }
}
