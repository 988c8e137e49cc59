package com.wookler.river.common.counters;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * The value of a counter at one moment: {@link Count}, a sum; {@link Average}, a sum of times over
 * a number of samples; or {@link Gauge}, a current number. The classes also identify the kind of a
 * counter. Immutable.
 */
public abstract sealed class AbstractMeasure permits Count, Average, Gauge {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS", Locale.ROOT)
          .withZone(ZoneId.systemDefault());

  private final Instant window;
  private final long value;

  AbstractMeasure(Instant window, long value) {
    this.window = window;
    this.value = value;
  }

  static AbstractMeasure of(Class<? extends AbstractMeasure> type, Instant window, Totals totals) {
    if (type == Average.class) {
      return new Average(window, totals.value(), totals.count());
    }
    return type == Gauge.class
        ? new Gauge(window, totals.value())
        : new Count(window, totals.value());
  }

  /** Returns the time since which this was counted; for a {@link Gauge}, when it was created. */
  public Instant window() {
    return window;
  }

  /**
   * Returns the sum of the additions, or the number of a {@link Gauge}; nanoseconds for an {@link
   * Average}.
   */
  public long value() {
    return value;
  }

  /** Returns {@link #window()} in the system's time zone. */
  final String windowText() {
    return TIME.format(window);
  }
}
