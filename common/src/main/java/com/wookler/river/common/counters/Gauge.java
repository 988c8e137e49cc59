package com.wookler.river.common.counters;

import java.time.Instant;

/** A number as it is at one moment, such as the messages that wait: it rises and falls. */
public final class Gauge extends AbstractMeasure {
  Gauge(Instant window, long value) {
    super(window, value);
  }

  /** As the log shows it: {@code {Gauge: VALUE=…}}. */
  @Override
  public String toString() {
    return "{Gauge: VALUE=" + value() + "}";
  }
}
