package com.wookler.river.benchmarks.profile;

import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * One thread's part of a round in a flight recording, from the common start to its own end: what it
 * does before and after, such as filling the queue or reading back, is not what is measured. Does
 * nothing while nobody records.
 */
@Name(ShiftEvent.NAME)
@Label("Shift")
@StackTrace(false)
public final class ShiftEvent extends Event {
  static final String NAME = "river.Shift";

  /** Of the thread that calls {@link #begin} and {@link #commit}. */
  public ShiftEvent() {}
}
