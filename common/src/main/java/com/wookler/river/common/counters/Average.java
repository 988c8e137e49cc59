package com.wookler.river.common.counters;

import java.time.Instant;
import java.util.Locale;

/** The average of times; counted in nanoseconds, shown in milliseconds. */
public final class Average extends AbstractMeasure {
  private static final double NANOS_A_MILLI = 1_000_000;

  private final long count;

  Average(Instant window, long value, long count) {
    super(window, value);
    this.count = count;
  }

  /** The number of samples. */
  public long count() {
    return count;
  }

  /** Milliseconds a sample; 0 without samples. */
  public double averageMillis() {
    return count == 0 ? 0 : value() / NANOS_A_MILLI / count;
  }

  /**
   * As the log shows it, in milliseconds: {@code {Average: WINDOW=…, AVERAGE=…, VALUE=…, COUNT=…}}.
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
