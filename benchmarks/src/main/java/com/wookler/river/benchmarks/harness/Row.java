package com.wookler.river.benchmarks.harness;

import java.io.Serializable;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.util.ListStatistics;

/**
 * One line of a table: what one system reached at one work, in all rounds.
 *
 * @param table the name in the document's markers
 * @param line the work
 * @param system who did it
 * @param ratio to the base system; null for the base itself and where there is none
 * @param extra further figures by their names, in the order of columns
 * @param note how the system was configured, or what else must be known; empty for nothing
 */
public record Row(
    String table,
    String line,
    String system,
    String unit,
    double median,
    double min,
    double max,
    @Nullable Ratio ratio,
    Map<String, Double> extra,
    String note)
    implements Serializable {
  /** Keeps a copy of the further figures, in their order. */
  public Row {
    extra = Collections.unmodifiableMap(new LinkedHashMap<>(extra));
  }

  /** How a row relates to another system's row of the same line, round by round. */
  public record Ratio(String to, double median, double min, double max) implements Serializable {}

  /** The middle and the ends of some figures. */
  record Spread(double median, double min, double max) {
    static Spread of(List<Double> figures) {
      ListStatistics all =
          new ListStatistics(figures.stream().mapToDouble(Double::doubleValue).toArray());
      return new Spread(all.getPercentile(50), all.getMin(), all.getMax());
    }

    /** Returns the spread of ratios: of the first figure to the first of the base, and so on. */
    static Spread ofRatios(List<Double> figures, List<Double> base) {
      if (figures.size() != base.size()) {
        throw new IllegalArgumentException(figures.size() + " figures against " + base.size());
      }
      return of(
          IntStream.range(0, base.size()).mapToObj(i -> figures.get(i) / base.get(i)).toList());
    }
  }
}
