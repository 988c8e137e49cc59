package com.wookler.river.benchmarks.report;

import java.time.Instant;
import java.util.List;

/**
 * What one command measured.
 *
 * @param command as it was typed
 * @param date when it ended
 * @param machine where
 * @param rows what came out
 */
public record Run(String command, Instant date, Machine machine, List<Row> rows) {
  /** Keeps a copy of the rows. */
  public Run {
    rows = List.copyOf(rows);
  }
}
