package com.wookler.river.benchmarks.reactor;

import com.wookler.river.benchmarks.report.Ratio;
import com.wookler.river.benchmarks.report.Row;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Rows of the report's table of reactors. */
final class Rows {
  /** The system whose figures targets are held to. */
  static final String RIVER = "river";

  private static final String TABLE = "reactor";

  private Rows() {}

  /** A row of what rounds brought, one figure each. */
  static Row of(
      String line, String system, String unit, double[] rounds, Map<String, Double> extra) {
    return of(line, system, unit, rounds, null, extra, "");
  }

  /** Likewise, beside the rounds of another system that took turns with it. */
  static Row beside(
      String line,
      String unit,
      double[] rounds,
      Row other,
      double[] others,
      Map<String, Double> extra) {
    double[] each =
        IntStream.range(0, rounds.length).mapToDouble(i -> rounds[i] / others[i]).toArray();
    Arrays.sort(each);
    Ratio ratio = new Ratio(other.system(), median(each), each[0], each[each.length - 1]);
    return of(line, RIVER, unit, rounds, ratio, extra, "");
  }

  private static Row of(
      String line,
      String system,
      String unit,
      double[] rounds,
      @Nullable Ratio ratio,
      Map<String, Double> extra,
      String note) {
    double[] sorted = rounds.clone();
    Arrays.sort(sorted);
    return new Row(
        TABLE,
        line,
        system,
        unit,
        median(sorted),
        sorted[0],
        sorted[sorted.length - 1],
        ratio,
        extra,
        note);
  }

  /** The middle one of sorted figures, or the mean of the two in the middle. */
  static double median(double[] sorted) {
    int size = sorted.length;
    return (sorted[(size - 1) / 2] + sorted[size / 2]) / 2;
  }
}
