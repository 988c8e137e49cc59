package com.wookler.river.core.ack;

/**
 * Builds the state of a ledger again from the facts on disk. Facts may be missing, repeated, or out
 * of order; what follows from those that are there is never more than what was true. Confined to
 * the thread that opens the ledger.
 */
final class Replay implements Facts {
  // what an entry's due says until the end
  private static final int TOLD = 1; // it has attempts of its own
  private static final int DELAYED = 2;

  private final Ring ring;
  private final boolean byKey;
  private long handedOver;
  private long finishedEnd;
  private int postponed;

  /**
   * Starts with nothing.
   *
   * @param byKey whether each delivery was told, so that nothing follows from the mark
   */
  Replay(long floor, boolean byKey) {
    this.byKey = byKey;
    ring = new Ring(floor);
    restart(floor);
  }

  long floor() {
    return ring.floor();
  }

  long finishedEnd() {
    return Math.max(finishedEnd, ring.floor());
  }

  @Override
  public void restart(long floor) {
    ring.restart(floor);
    handedOver = floor;
    finishedEnd = floor;
  }

  @Override
  public void floor(long floor) {
    if (floor < ring.floor()) {
      // A restart that is lost; what was finished before it doesn't count.
      restart(floor);
    } else {
      ring.raise(floor);
    }
  }

  @Override
  public void handedOver(long mark) {
    handedOver = Math.max(handedOver, mark);
  }

  @Override
  public void finished(long from, long count) {
    long end = from + count;
    finishedEnd = Math.max(finishedEnd, end);
    if (from <= ring.floor()) {
      ring.raise(end);
      return;
    }
    long top = reach(end);
    for (long s = from; s < top; s++) {
      if (ring.state(s) == Ring.UNSEEN) {
        ring.move(s, Ring.FINISHED);
      }
    }
  }

  @Override
  public void attempts(long sequence, int attempts) {
    handedOver(sequence + 1);
    if (sequence >= ring.floor() && sequence < reach(sequence + 1)) {
      ring.attempt(sequence, attempts);
      ring.due(sequence, TOLD);
    }
  }

  @Override
  public void notBefore(long sequence, long untilMillis, int delaySeconds) {
    if (sequence >= ring.floor() && sequence < reach(sequence + 1)) {
      ring.until(sequence, untilMillis, delaySeconds);
      ring.due(sequence, ring.due(sequence) | DELAYED);
    }
  }

  /** The mark, which is above everything finished. */
  long mark() {
    return Math.max(handedOver, finishedEnd());
  }

  /**
   * The state: below the mark, unfinished entries without attempts of their own have one, but for a
   * ledger by key. What is delayed is postponed. To be called once, at the end.
   */
  Ring finish() {
    reach(mark());
    for (long s = ring.floor(); s < ring.end(); s++) {
      if (!byKey && (ring.due(s) & TOLD) == 0 && s < mark()) {
        ring.attempt(s, 1);
      }
      boolean isPostponed = (ring.due(s) & DELAYED) != 0 && ring.state(s) == Ring.UNSEEN;
      postponed += isPostponed ? 1 : 0;
      ring.postpone(s, isPostponed);
    }
    return ring;
  }

  /** How many are postponed; at the end. */
  int postponed() {
    return postponed;
  }

  /**
   * Extends the ring to this end, or as far as it may go: what is beyond is forgotten, and so comes
   * again.
   */
  private long reach(long end) {
    long top = Math.min(end, ring.floor() + Limits.MAX_WINDOW);
    ring.extendTo(Math.max(ring.end(), top));
    return top;
  }
}
