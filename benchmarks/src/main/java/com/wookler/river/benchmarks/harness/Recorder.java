package com.wookler.river.benchmarks.harness;

import java.util.Map;

/** Takes what a round reached. */
@FunctionalInterface
public interface Recorder {
  /**
   * Takes one figure.
   *
   * @param metric what was measured; the same in all rounds of all contenders
   * @param extra further figures by their names
   */
  void add(String metric, String unit, double value, Map<String, Double> extra);

  /** Takes one figure without further ones. */
  default void add(String metric, String unit, double value) {
    add(metric, unit, value, Map.of());
  }
}
