package com.wookler.river.common;

/**
 * A clock for tests on which housekeeping is stepped: what is opened with it is not looked after by
 * a background thread, but whenever the test moves the clock. It has worker pools of its own, so
 * that a test can wait until they have nothing to do.
 */
public interface SteppedTimeSource extends TimeSource {
  /** Returns the task manager without threads that takes the tasks of what has this clock. */
  TaskManager tasks();

  /** Returns the name of the pool that what has this clock uses in place of a shared one. */
  String poolName(String shared);
}
