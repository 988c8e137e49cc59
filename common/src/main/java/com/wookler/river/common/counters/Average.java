package com.wookler.river.common.counters;

import java.time.Instant;
import java.util.Locale;

/** The average of times, measured in nanoseconds and shown in milliseconds. */
public final class Average extends AbstractMeasure {
  private static final double NANOS_A_MILLI = 1_000_000;

  private final long count;

  Average(Instant window, long value, long count) {
    super(window, value);
    this.count = count;
  }

  /** Returns the number of samples. */
  public long count() {
    return count;
  }

  /** Returns the average in milliseconds; 0 without samples. */
  public double averageMillis() {
    return count == 0 ? 0 : value() / NANOS_A_MILLI / count;
  }

  /**
   * Returns the form in the log, in milliseconds: {@code {Average: WINDOW=…, AVERAGE=…, VALUE=…,
   * COUNT=…}}.
   */
  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "{Average: WINDOW=%s, AVERAGE=%.6f, VALUE=%d, COUNT=%d}",
        windowText(),
        averageMillis(),
        Math.round(value() / NANOS_A_MILLI),
        count);
  }
}
