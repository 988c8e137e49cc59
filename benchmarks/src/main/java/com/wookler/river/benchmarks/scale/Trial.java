package com.wookler.river.benchmarks.scale;

import java.util.List;

/** The same work at one step of what may grow, ready to be done again and again. */
interface Trial extends AutoCloseable {
  /** The step, as in a table. */
  String label();

  /** Does the work once; each round answers with the same lines. */
  List<Figure> round() throws Exception;

  @Override
  void close();

  /** What one round reached. */
  record Figure(String line, String unit, double value) {}
}
