package com.wookler.river.rest.client;

import java.time.Duration;

/** Reads the monotonic clock for this module, which does not see River's time sources. */
final class Ticker {
  /** About 36 years: times of this length can be added without an overflow. */
  private static final long LONGEST_NANOS = Long.MAX_VALUE / 8;

  private static final Duration LONGEST = Duration.ofNanos(LONGEST_NANOS);

  private Ticker() {}

  /** Returns the monotonic time in nanoseconds, from an arbitrary origin. */
  static long nanos() {
    return System.nanoTime();
  }

  /** Returns a duration in nanoseconds; one of more than 36 years as 36 years. */
  static long nanos(Duration duration) {
    return duration.compareTo(LONGEST) > 0 ? LONGEST_NANOS : duration.toNanos();
  }

  /** Returns the duration, or 36 years if that is less. */
  static Duration limited(Duration duration) {
    return Duration.ofNanos(nanos(duration));
  }
}
