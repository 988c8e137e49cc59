package com.wookler.river.benchmarks.harness;

import java.util.List;
import java.util.Optional;

/**
 * What River is to reach: a row of {@code report/targets.txt}, which says what its cells are.
 *
 * @param cells text, bound, unit and figure; then perhaps line, which, and system
 */
record Target(List<String> cells) {
  private static final String LEAST = "≥ ";
  private static final String MOST = "≤ ";

  /** How it went. */
  enum State {
    MET("met"),
    MISSED("**missed**"),
    UNKNOWN("not measured yet");

    private final String text;

    String text() {
      return text;
    }

    State(String text) {
      this.text = text;
    }
  }

  /** Returns whether these runs reach it. */
  State state(List<Run> runs) {
    return figure(runs)
        .map(Row.Spread::median)
        .map(value -> (least() ? value >= bound() : value <= bound()) ? State.MET : State.MISSED)
        .orElse(State.UNKNOWN);
  }

  /** Returns what it is about. */
  String text() {
    return cells.get(0);
  }

  /** Returns the row of the table with what was measured, and a last cell. */
  String line(List<Run> runs, String last) {
    String unit = cells.get(2);
    Optional<Row.Spread> figure = figure(runs);
    return MarkdownTable.line(
        List.of(
            cells.get(0),
            (least() ? LEAST : MOST) + MarkdownTable.format(bound()) + " " + unit,
            figure.map(spread -> MarkdownTable.format(spread.median()) + " " + unit).orElse(""),
            figure
                .filter(spread -> spread.min() < spread.max())
                .map(spread -> MarkdownTable.range(spread.min(), spread.max()))
                .orElse(""),
            last));
  }

  private boolean least() {
    return cells.get(1).startsWith(LEAST);
  }

  private double bound() {
    return Double.parseDouble(cells.get(1).substring(LEAST.length()));
  }

  /** Returns the figure, all of it from the run that has River's row. */
  private Optional<Row.Spread> figure(List<Run> runs) {
    String line = cell(4, cells.get(0));
    return runs.stream()
        .map(Run::rows)
        .filter(rows -> row(rows, Rounds.RIVER, line).isPresent())
        .findFirst()
        .flatMap(rows -> figure(rows, row(rows, Rounds.RIVER, line)));
  }

  private Optional<Row.Spread> figure(List<Row> rows, Optional<Row> river) {
    String which = cell(5, "");
    return switch (cells.get(3)) {
      case "median" -> river.map(row -> new Row.Spread(row.median(), row.min(), row.max()));
      case "ratio" ->
          river
              .flatMap(
                  row -> which.isEmpty() ? Optional.ofNullable(row.ratio()) : row.ratioTo(which))
              .map(ratio -> new Row.Spread(ratio.median(), ratio.min(), ratio.max()));
      case "extra" -> river.map(row -> row.extra().get(which)).map(Target::single);
      case "over" ->
          row(rows, cell(6, Rounds.RIVER), which)
              .flatMap(other -> river.map(row -> single(row.median() / other.median())));
      default -> throw new IllegalStateException("targets.txt has a figure " + cells.get(3));
    };
  }

  private String cell(int index, String other) {
    return index < cells.size() && !cells.get(index).isEmpty() ? cells.get(index) : other;
  }

  private static Row.Spread single(double figure) {
    return new Row.Spread(figure, figure, figure);
  }

  private static Optional<Row> row(List<Row> rows, String system, String line) {
    return rows.stream()
        .filter(row -> row.system().equals(system) && row.line().equals(line))
        .findFirst();
  }
}
