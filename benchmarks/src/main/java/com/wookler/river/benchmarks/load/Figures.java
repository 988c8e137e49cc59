package com.wookler.river.benchmarks.load;

import com.wookler.river.benchmarks.utils.Spread;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The figures of a row besides the first: their names, and how those of several rounds make one.
 */
final class Figures {
  static final String ALLOCATED = "B allocated/msg";
  static final String CPU = "CPU µs/msg";
  static final String P50 = "p50 µs";
  static final String P99 = "p99 µs";
  static final String P999 = "p99.9 µs";
  static final String P9999 = "p99.99 µs";
  static final String MAX = "max µs";
  static final String SLOWEST_SECOND = "slowest second msg/s";

  private static final double MICRO = 1_000;

  private Figures() {}

  /** What the effort of a round was, a message. */
  static Map<String, Double> of(Effort effort, long messages) {
    double each = Math.max(1, messages);
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put(ALLOCATED, effort.allocatedBytes() / each);
    figures.put(CPU, effort.cpuNanos() / MICRO / each);
    return figures;
  }

  /** One figure for all rounds: the worst where the worst is meant, else the median. */
  static Map<String, Double> merge(List<Map<String, Double>> rounds) {
    Map<String, Double> merged = new LinkedHashMap<>();
    for (String name : rounds.get(0).keySet()) {
      Spread spread =
          Spread.of(rounds.stream().map(round -> round.getOrDefault(name, 0d)).toList());
      merged.put(
          name,
          switch (name) {
            case MAX -> spread.max();
            case SLOWEST_SECOND -> spread.min();
            default -> spread.median();
          });
    }
    return merged;
  }
}
