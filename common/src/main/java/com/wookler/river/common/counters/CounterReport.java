package com.wookler.river.common.counters;

import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What one name counted, at one moment. Of a {@link Gauge} all three are what there is now.
 *
 * @param labels what tells it from others of its name; often none
 * @param delta since the last report
 * @param period since the start of the monitor's present window ({@code monitor.window.recycle})
 * @param total since the first counter of this name was made
 */
public record CounterReport(
    String namespace,
    String name,
    Map<String, String> labels,
    AbstractMeasure delta,
    AbstractMeasure period,
    AbstractMeasure total) {

  /**
   * As the log shows it: {@code {[COUNT] namespace.name : [[DELTA: …][PERIOD: …][TOTAL: …]]}}, or
   * {@code {[GAUGE] namespace.name{queue=orders} : [[NOW: …]]}}.
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
