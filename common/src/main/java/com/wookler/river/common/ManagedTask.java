package com.wookler.river.common;

import java.time.Duration;

/**
 * Work that a {@link TaskManager} repeats in short steps. One step of a task runs at a time, on any
 * thread of the manager, and sees what the step before wrote.
 */
public interface ManagedTask {
  /** A name for logs; asked for once, when the task is added. */
  String name();

  /**
   * The pause between the end of a step and the next one; asked for after each step, so it may
   * change.
   */
  Duration interval();

  /**
   * Does a little of the work: at most about 50 ms, because other tasks wait meanwhile.
   *
   * @return true when there is more to do at once; the others have their turn first
   * @throws Exception if the step failed: it is logged, counted, and the task runs again after a
   *     growing pause
   */
  boolean step() throws Exception;
}
