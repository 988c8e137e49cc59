package com.wookler.river.benchmarks.report;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One line of a table: what one system reached at one work.
 *
 * @param table which table it belongs to, the name in the document's markers
 * @param line the work
 * @param system who did it
 * @param unit of the three figures, for instance {@code msg/s}
 * @param median of all rounds
 * @param min the least of all rounds
 * @param max the greatest of all rounds
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
    String note) {

  /** Keeps a copy of the further figures, in their order. */
  public Row {
    extra = Collections.unmodifiableMap(new LinkedHashMap<>(extra));
  }
}
