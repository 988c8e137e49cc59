package com.wookler.river.common;

import java.time.Duration;

/**
 * Work that a {@link TaskManager} repeats in short steps. One step of a task runs at a time, on any
 * thread of the manager, and sees the writes of the previous step.
 */
public interface ManagedTask {
  /** Returns a name for logs. Called once, when the task is added. */
  String name();

  /**
   * Returns the pause between the end of a step and the next one. Called after each step, so it may
   * change.
   */
  Duration interval();

  /**
   * Returns for how long a step has nothing to do if nothing changes before: clocks of tests are
   * moved on by as much. Called after a step.
   */
  default Duration quiet() {
    return interval();
  }

  /**
   * Performs a part of the work. It should take at most about 50 ms, because other tasks wait
   * meanwhile.
   *
   * @return true if there is more to do at once; other due tasks run first
   * @throws Exception the step failed: the failure is logged and counted, and the step is retried
   *     with exponential backoff
   */
  boolean step() throws Exception;
}
