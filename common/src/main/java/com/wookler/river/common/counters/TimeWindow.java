package com.wookler.river.common.counters;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * Consecutive time windows of equal length, aligned to 1970-01-01T00:00Z: windows of 30 s start at
 * each full and half minute. Immutable; thread-safe if its clock is.
 */
public final class TimeWindow {
  private static final Duration SHORTEST = Duration.ofMillis(1);
  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

  private final long millis;
  private final InstantSource clock;

  /**
   * Creates windows of a length.
   *
   * @param length 1 ms to 292 years, as in a configuration
   * @param clock the clock that {@link #now} returns
   * @throws IllegalArgumentException if {@code length} is shorter or longer
   */
  public TimeWindow(Duration length, InstantSource clock) {
    if (length.compareTo(SHORTEST) < 0 || length.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "A time window lasts at least 1 ms and at most 292 years, not " + length);
    }
    this.millis = length.toMillis();
    this.clock = clock;
  }

  /** Returns the length of each window. */
  public Duration length() {
    return Duration.ofMillis(millis);
  }

  /** Returns the current time of the clock. */
  public Instant now() {
    return clock.instant();
  }

  /** Returns the start of the window that contains {@code time}. */
  public Instant startOf(Instant time) {
    return Instant.ofEpochMilli(Math.floorDiv(time.toEpochMilli(), millis) * millis);
  }

  /**
   * Returns the end of the window that contains {@code time}, which is the start of the next one.
   */
  public Instant endOf(Instant time) {
    return startOf(time).plusMillis(millis);
  }

  @Override
  public String toString() {
    return "TimeWindow[" + length() + "]";
  }
}
