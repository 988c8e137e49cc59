package com.wookler.river.benchmarks.harness;

import com.wookler.river.benchmarks.report.Ratio;
import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.benchmarks.report.Spread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The figures of all rounds of one table, and the rows that they make: median and spread of a
 * series, and its ratio to the base, round by round. Confined to one thread.
 *
 * <p>A series is the figures of one metric that one contender reached. Contenders are either
 * systems, each in the column of systems and related to a system that is named, or steps of what
 * may grow, each in the text of the line and related to the first step.
 */
public final class Samples {
  /** The system whose figures targets are held to. */
  public static final String RIVER = "river";

  /** Extra figure of which the greatest of all rounds counts. */
  public static final String MAX = "max µs";

  /** Extra figure of which the least of all rounds counts. */
  public static final String SLOWEST_SECOND = "slowest second msg/s";

  private final String table;
  private final boolean systems;
  private final @Nullable String base;
  private final Map<String, Map<String, Series>> all = new LinkedHashMap<>();

  private static final class Series {
    final String unit;
    final List<Double> figures = new ArrayList<>();
    final List<Map<String, Double>> extras = new ArrayList<>();

    Series(String unit) {
      this.unit = unit;
    }
  }

  private Samples(String table, boolean systems, @Nullable String base) {
    this.table = table;
    this.systems = systems;
    this.base = base;
  }

  /** Creates it for systems, which are related to one of them if that takes part. */
  public static Samples ofSystems(String table, String base) {
    return new Samples(table, true, base);
  }

  /** Creates it for steps, which are related to the first one. */
  public static Samples ofSteps(String table) {
    return new Samples(table, false, null);
  }

  /** Adds one round's figure. */
  public void add(
      String metric, String label, String unit, double value, Map<String, Double> extra) {
    Series series =
        all.computeIfAbsent(metric, first -> new LinkedHashMap<>())
            .computeIfAbsent(label, first -> new Series(unit));
    series.figures.add(value);
    series.extras.add(extra);
  }

  /** Adds one round's figure of River, at no step. */
  public void add(String metric, String unit, double value) {
    add(metric, systems ? RIVER : "", unit, value, Map.of());
  }

  /** Returns the rows, all with one note. */
  public List<Row> rows(String note) {
    return rows(unused -> note);
  }

  /** Returns the rows, with a note for each contender. */
  public List<Row> rows(UnaryOperator<String> note) {
    List<Row> rows = new ArrayList<>();
    all.forEach(
        (metric, contenders) ->
            contenders.forEach(
                (label, series) -> rows.add(row(metric, label, series, note.apply(label)))));
    return rows;
  }

  private Row row(String metric, String label, Series series, String note) {
    Spread spread = Spread.of(series.figures);
    int rounds = series.figures.size();
    return new Row(
        table,
        systems || label.isEmpty() ? metric : metric + ", " + label,
        systems ? label : RIVER,
        series.unit,
        spread.median(),
        spread.min(),
        spread.max(),
        ratio(metric, series),
        merge(series.extras),
        systems ? note : note + "; " + rounds + (rounds == 1 ? " round" : " rounds in turn"));
  }

  private @Nullable Ratio ratio(String metric, Series series) {
    Map<String, Series> contenders = all.getOrDefault(metric, Map.of());
    String to = base == null ? contenders.keySet().iterator().next() : base;
    Series other = contenders.get(to);
    if (other == null || other == series) {
      return null;
    }
    Spread spread = Spread.ofRatios(series.figures, other.figures);
    return new Ratio(to, spread.median(), spread.min(), spread.max());
  }

  /** Returns one figure for all rounds: the worst where the worst is meant, else the median. */
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
