package com.wookler.river.benchmarks.scale;

import java.util.Arrays;
import java.util.List;

/** The middle and the ends of some figures. */
record Spread(double median, double min, double max, int rounds) {
  static Spread of(List<Double> figures) {
    return of(figures.stream().mapToDouble(Double::doubleValue).toArray());
  }

  static Spread of(double... figures) {
    if (figures.length == 0) {
      throw new IllegalArgumentException("no figures");
    }
    double[] sorted = figures.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    double median =
        sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    return new Spread(median, sorted[0], sorted[sorted.length - 1], sorted.length);
  }
}
