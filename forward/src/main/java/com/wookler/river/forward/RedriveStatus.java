package com.wookler.river.forward;

import java.time.Instant;

/**
 * How far a redrive is.
 *
 * @param id names it in its queue
 * @param redrive what was asked
 * @param started when, by the wall clock
 * @param moved letters that are on the device in the target and taken out of here
 * @param skipped letters that the filter refused
 * @param left letters that were here when it was started and that it has not come to
 * @param waiting why it waits; empty if it does not
 */
public record RedriveStatus(
    String id,
    Redrive redrive,
    State state,
    Instant started,
    long moved,
    long skipped,
    long left,
    String waiting) {
  /** What becomes of it. */
  public enum State {
    /** It moves letters, or waits. */
    RUNNING,
    /** It was cancelled, and waits to complete what a crash has interrupted. */
    CANCELLING,
    /** It was cancelled. */
    CANCELLED,
    /** It has come to the end. */
    DONE;

    /** Returns whether it moves nothing any more. */
    public boolean isOver() {
      return this == CANCELLED || this == DONE;
    }
  }
}
