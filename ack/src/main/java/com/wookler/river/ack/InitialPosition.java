package com.wookler.river.ack;

/**
 * The position of a ledger that the disk does not have.
 *
 * @param start where a new subscriber begins; counts only when there is nothing of it on disk
 * @param earliest the oldest sequence that can still be read; used when there is something on disk,
 *     but none of it can be trusted. Then everything is delivered again rather than something lost
 * @param made whether the ledger is known to have been made: if so, a missing cursor is damage
 */
public record InitialPosition(long start, long earliest, boolean made) {
  public InitialPosition {
    if (start < 0 || earliest < 0) {
      throw new IllegalArgumentException(
          "negative sequence: start " + start + ", earliest " + earliest);
    }
  }

  /** Of a ledger that may be new. */
  public InitialPosition(long start, long earliest) {
    this(start, earliest, false);
  }
}
