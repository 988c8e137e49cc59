package com.wookler.river.benchmarks.report;

import java.util.List;
import java.util.Optional;

/**
 * Finds what was measured, in all runs together; where a row is in several, the last run counts.
 */
final class Measured {
  private static final String RIVER = "river";

  private final List<Row> rows;

  Measured(List<Run> runs) {
    this.rows = runs.stream().flatMap(run -> run.rows().stream()).toList();
  }

  /** River's row of a line. */
  Optional<Row> river(String line) {
    return rows.stream()
        .filter(row -> row.line().equals(line) && row.system().equals(RIVER))
        .reduce((earlier, later) -> later);
  }

  /** River's median ratio to the base. */
  Optional<Double> ratio(String line) {
    return river(line).map(Row::ratio).map(Ratio::median);
  }

  /** One of River's further figures. */
  Optional<Double> extra(String line, String figure) {
    return river(line).map(row -> row.extra().get(figure));
  }

  /** River's median at one line divided by that at another. */
  Optional<Double> own(String line, String other) {
    return river(line).flatMap(a -> river(other).map(b -> a.median() / b.median()));
  }
}
