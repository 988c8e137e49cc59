package com.wookler.river.benchmarks.scale;

import com.wookler.river.benchmarks.report.Row;
import java.util.List;

/** One thing that must not grow. It has a JVM to itself, and leaves nothing on disk. */
interface Part {
  /** As on the command line. */
  String name();

  /** What it shows, in a line. */
  String about();

  /** Options for its JVM. */
  default List<String> jvmOptions() {
    return List.of("-Xmx2g");
  }

  /**
   * Measures.
   *
   * @throws IllegalStateException something was not delivered as it must be
   */
  List<Row> measure(Lab lab) throws Exception;
}
