package com.wookler.river.common.counters;

import java.util.Locale;

/**
 * What one name counted, at one moment.
 *
 * @param delta since the last report
 * @param period since the start of the monitor's present window ({@code monitor.window.recycle})
 * @param total since the first counter of this name was made
 */
public record CounterReport(
    String namespace,
    String name,
    AbstractMeasure delta,
    AbstractMeasure period,
    AbstractMeasure total) {

  /** As the log shows it: {@code {[COUNT] namespace.name : [[DELTA: …][PERIOD: …][TOTAL: …]]}}. */
  @Override
  public String toString() {
    String kind = total.getClass().getSimpleName().toUpperCase(Locale.ROOT);
    String full = namespace.isEmpty() ? name : namespace + "." + name;
    return "{[%s] %s : [[DELTA: %s][PERIOD: %s][TOTAL: %s]]}"
        .formatted(kind, full, delta, period, total);
  }
}
