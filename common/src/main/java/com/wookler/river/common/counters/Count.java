package com.wookler.river.common.counters;

import java.time.Instant;

/** A plain sum, such as the messages published. */
public final class Count extends AbstractMeasure {
  Count(Instant window, long value) {
    super(window, value);
  }

  /** Returns the form in the log: {@code {Count: WINDOW=…, VALUE=…}}. */
  @Override
  public String toString() {
    return "{Count: WINDOW=" + windowText() + ", VALUE=" + value() + "}";
  }
}
