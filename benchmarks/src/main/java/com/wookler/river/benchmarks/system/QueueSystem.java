package com.wookler.river.benchmarks.system;

import java.nio.file.Path;

/** A queue system, as the harness drives it. */
public interface QueueSystem {
  /** Returns the name in tables and on the command line. */
  String name();

  /** Returns how it is configured, for the notes below a table. */
  String notes();

  /** Returns whether it can do this work at all. */
  boolean supports(Work work);

  /**
   * Opens one queue.
   *
   * @param directory its own, empty or left by an earlier {@link OpenQueue} of this system that was
   *     closed
   * @param work what will be done with it
   */
  OpenQueue open(Path directory, Work work) throws Exception;
}
