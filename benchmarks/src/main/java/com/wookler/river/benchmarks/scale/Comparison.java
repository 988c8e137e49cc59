package com.wookler.river.benchmarks.scale;

import com.wookler.river.benchmarks.report.Ratio;
import com.wookler.river.benchmarks.report.Row;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Does trials in turn, small, large, small, large, so that a machine that drifts hits all alike,
 * and relates each to the first one round by round.
 */
final class Comparison {
  private final List<? extends Trial> trials;
  private final List<Map<String, Line>> figures = new ArrayList<>(); // of each trial, by line

  private record Line(String unit, List<Double> values) {}

  private Comparison(List<? extends Trial> trials) {
    this.trials = trials;
    trials.forEach(trial -> figures.add(new LinkedHashMap<>()));
  }

  /**
   * Does all rounds.
   *
   * @param warmUps rounds before those that count
   * @param note to go into each row
   */
  static List<Row> run(List<? extends Trial> trials, int warmUps, int rounds, String note)
      throws Exception {
    Comparison comparison = new Comparison(trials);
    for (int i = 0; i < warmUps; i++) {
      for (Trial trial : trials) {
        trial.round();
      }
    }
    for (int i = 0; i < rounds; i++) {
      comparison.round();
    }
    return comparison.rows(note);
  }

  private void round() throws Exception {
    for (int i = 0; i < trials.size(); i++) {
      for (Trial.Figure figure : trials.get(i).round()) {
        figures
            .get(i)
            .computeIfAbsent(figure.line(), line -> new Line(figure.unit(), new ArrayList<>()))
            .values()
            .add(figure.value());
      }
    }
  }

  private List<Row> rows(String note) {
    List<Row> rows = new ArrayList<>();
    Map<String, Line> base = figures.get(0);
    base.forEach(
        (name, first) -> {
          for (int i = 0; i < trials.size(); i++) {
            Line line = figures.get(i).getOrDefault(name, first);
            rows.add(
                row(name, i, line, i == 0 ? null : ratio(line.values(), first.values()), note));
          }
        });
    return rows;
  }

  private Row row(String name, int trial, Line line, @Nullable Ratio ratio, String note) {
    Spread spread = Spread.of(line.values());
    return new Row(
        Lab.TABLE,
        name + ", " + trials.get(trial).label(),
        Lab.SYSTEM,
        line.unit(),
        spread.median(),
        spread.min(),
        spread.max(),
        ratio,
        Map.of(),
        note + "; " + spread.rounds() + " rounds in turn");
  }

  private Ratio ratio(List<Double> values, List<Double> base) {
    double[] ratios = new double[values.size()];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] = values.get(i) / base.get(i);
    }
    Spread spread = Spread.of(ratios);
    return new Ratio(trials.get(0).label(), spread.median(), spread.min(), spread.max());
  }

  /** Closes what was opened before a later one failed, or all at the end. */
  static void close(List<? extends Trial> trials) {
    RuntimeException failed = null;
    for (Trial trial : trials) {
      try {
        trial.close();
      } catch (RuntimeException e) {
        if (failed != null) {
          e.addSuppressed(failed);
        }
        failed = e;
      }
    }
    if (failed != null) {
      throw failed;
    }
  }
}
