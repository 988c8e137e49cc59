package com.wookler.river.benchmarks.harness;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import java.io.Serializable;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.util.ListStatistics;

/**
 * One line of a table: what one system reached at one work, in all rounds.
 *
 * @param table the name in the document's markers
 * @param line the work
 * @param system who did it
 * @param ratio to the base system; null for the base itself and where there is none
 * @param shares ratios to further systems, in the order of columns; empty where there are none
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
    @JsonSetter(nulls = Nulls.AS_EMPTY) List<Ratio> shares,
    Map<String, Double> extra,
    String note)
    implements Serializable {
  /** Keeps a copy of the further ratios and figures, in their order. */
  public Row {
    shares = List.copyOf(shares);
    extra = Collections.unmodifiableMap(new LinkedHashMap<>(extra));
  }

  /** Returns the ratio to the base, if there is one, then those to further systems. */
  List<Ratio> ratios() {
    return Stream.concat(Stream.ofNullable(ratio), shares.stream()).toList();
  }

  /** Returns the ratio to a system, the base or a further one. */
  Optional<Ratio> ratioTo(String system) {
    return ratios().stream().filter(each -> each.to.equals(system)).findFirst();
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
