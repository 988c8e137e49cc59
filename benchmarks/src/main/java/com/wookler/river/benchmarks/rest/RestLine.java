package com.wookler.river.benchmarks.rest;

import com.wookler.river.benchmarks.report.Row;
import java.util.List;

/** One thing that is measured of the server. */
interface RestLine {
  /** As on the command line. */
  String name();

  /** The work, as in the table. */
  String text();

  /** Whether {@code wrk} makes the requests. */
  boolean needsWrk();

  /**
   * Measures.
   *
   * @throws IllegalStateException something was not stored, delivered or answered as it must be
   */
  List<Row> measure(RestLab lab) throws Exception;
}
