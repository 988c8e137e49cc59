package com.wookler.river.rest.server.hosting;

import java.time.Duration;

/** How far back figures are kept, and how far apart their values are then. */
public enum PastSpan {
  /** Each sample of ten minutes. */
  TEN_MINUTES("10m", 1, 300),

  /** Means over 16 seconds. */
  HOUR("1h", 8, 240),

  /** Means over 5 minutes and 20 seconds. */
  DAY("1d", 160, 270);

  private final String text;
  private final int samples;
  private final int values;

  PastSpan(String text, int samples, int values) {
    this.text = text;
    this.samples = samples;
    this.values = values;
  }

  /**
   * Returns the span that a request names.
   *
   * @throws RequestException there is none of this name
   */
  public static PastSpan of(String field, String name) {
    for (PastSpan span : values()) {
      if (span.text.equals(name)) {
        return span;
      }
    }
    throw RequestException.field(field, "is neither 10m, 1h nor 1d");
  }

  /** Returns of how many samples each value is the mean. */
  int samples() {
    return samples;
  }

  /** Returns how many values are kept. */
  int size() {
    return values;
  }

  /** Returns how far apart the values are. */
  public Duration step() {
    return FigureRecorder.STEP.multipliedBy(samples);
  }
}
