package com.wookler.river.benchmarks.report;

import java.util.List;
import java.util.stream.IntStream;

/**
 * The middle and the ends of some figures.
 *
 * @param median the middle one, or the mean of the two in the middle
 * @param min the least
 * @param max the greatest
 */
public record Spread(double median, double min, double max) {
  /** Returns the spread of one figure or more. */
  public static Spread of(List<Double> figures) {
    List<Double> sorted = figures.stream().sorted().toList();
    int size = sorted.size();
    double median = (sorted.get((size - 1) / 2) + sorted.get(size / 2)) / 2;
    return new Spread(median, sorted.get(0), sorted.get(size - 1));
  }

  /** Returns the spread of ratios: of the first figure to the first of the base, and so on. */
  public static Spread ofRatios(List<Double> figures, List<Double> base) {
    if (figures.size() != base.size()) {
      throw new IllegalArgumentException(figures.size() + " figures against " + base.size());
    }
    return of(IntStream.range(0, base.size()).mapToObj(i -> figures.get(i) / base.get(i)).toList());
  }
}
