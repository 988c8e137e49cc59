package com.wookler.river.common.counters;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * What a counter shows at one moment: {@link Count}, a sum, {@link Average}, a sum of times over a
 * number of samples, or {@link Gauge}, how much there is. The classes also say of which kind a
 * counter is. Immutable.
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

  /** Since when this was counted; of a {@link Gauge}, since when there is one. */
  public Instant window() {
    return window;
  }

  /**
   * The sum of what was added: a number for {@link Count} and {@link Gauge}, nanoseconds for {@link
   * Average}.
   */
  public long value() {
    return value;
  }

  /** {@link #window()} in the system's time zone. */
  final String windowText() {
    return TIME.format(window);
  }
}
