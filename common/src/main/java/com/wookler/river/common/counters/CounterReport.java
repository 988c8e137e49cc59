package com.wookler.river.common.counters;

import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The values of one series at one moment. For a {@link Gauge} all three are its current number.
 *
 * @param labels the labels that distinguish the series from others of its name; often none
 * @param delta since the last report
 * @param period since the start of the monitor's current window ({@code monitor.window.recycle})
 * @param total since the first counter of this name was created
 */
public record CounterReport(
    String namespace,
    String name,
    Map<String, String> labels,
    AbstractMeasure delta,
    AbstractMeasure period,
    AbstractMeasure total) {

  /**
   * Returns the form in the log: {@code {[COUNT] namespace.name : [[DELTA: …][PERIOD: …][TOTAL:
   * …]]}}, or {@code {[GAUGE] namespace.name{queue=orders} : [[NOW: …]]}}.
   */
  @Override
  public String toString() {
    String kind = total.getClass().getSimpleName().toUpperCase(Locale.ROOT);
    String full = (namespace.isEmpty() ? name : namespace + "." + name) + labelText();
    return total instanceof Gauge
        ? "{[%s] %s : [[NOW: %s]]}".formatted(kind, full, total)
        : "{[%s] %s : [[DELTA: %s][PERIOD: %s][TOTAL: %s]]}"
            .formatted(kind, full, delta, period, total);
  }

  private String labelText() {
    return labels.isEmpty()
        ? ""
        : labels.entrySet().stream()
            .map(label -> label.getKey() + "=" + label.getValue())
            .collect(Collectors.joining(",", "{", "}"));
  }
}
