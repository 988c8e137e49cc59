package com.wookler.river.benchmarks.report;

import java.util.Optional;
import java.util.function.Function;

/**
 * A figure that River is to reach.
 *
 * @param text what is asked for
 * @param bound which side of the threshold is good
 * @param threshold that decides
 * @param unit of the threshold and of the figure
 * @param figure what was measured of it, empty if it was not
 */
record Target(
    String text,
    Bound bound,
    double threshold,
    String unit,
    Function<Measured, Optional<Double>> figure) {
  /** Which side of the threshold is good. */
  enum Bound {
    AT_LEAST("≥"),
    AT_MOST("≤");

    private final String sign;

    Bound(String sign) {
      this.sign = sign;
    }

    boolean holds(double value, double threshold) {
      return this == AT_LEAST ? value >= threshold : value <= threshold;
    }
  }

  /** What would be better still than the target of the same figure. */
  Target stretch(double further) {
    return new Target(text + " (stretch)", bound, further, unit, figure);
  }

  /** Its line of the table of targets. */
  String line(Measured measured) {
    Optional<Double> value = figure.apply(measured);
    return "| "
        + String.join(
            " | ",
            text,
            bound.sign + " " + Numbers.format(threshold) + " " + unit,
            value.map(v -> Numbers.format(v) + " " + unit).orElse(""),
            value
                .map(v -> bound.holds(v, threshold) ? "met" : "**missed**")
                .orElse("not measured yet"))
        + " |";
  }
}
