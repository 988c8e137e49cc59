package com.wookler.river.core.ack.journal;

import com.wookler.river.core.ack.EntryState;
import com.wookler.river.core.ack.Limits;
import com.wookler.river.core.ack.Ring;

/**
 * Builds the state of a ledger again from the facts on disk. Facts may be missing, repeated, or out
 * of order; what follows from those that are there is never more than what was true. Confined to
 * the thread that opens the ledger.
 */
final class Replay implements JournalVisitor {
  // what an entry's due says until the end
  private static final int TOLD = 1; // it has attempts of its own
  private static final int DELAYED = 2;

  private final Ring ring;
  private final boolean byKey;
  private long deliveredEnd;
  private long completedEnd;
  private int postponed;

  /**
   * Starts with nothing.
   *
   * @param byKey whether each delivery was told, so that nothing follows from the mark
   */
  Replay(long lowWatermark, boolean byKey) {
    this.byKey = byKey;
    ring = new Ring(lowWatermark);
    restart(lowWatermark);
  }

  long lowWatermark() {
    return ring.lowWatermark();
  }

  long completedEnd() {
    return Math.max(completedEnd, ring.lowWatermark());
  }

  @Override
  public void restart(long lowWatermark) {
    ring.restart(lowWatermark);
    deliveredEnd = lowWatermark;
    completedEnd = lowWatermark;
  }

  @Override
  public void lowWatermark(long lowWatermark) {
    if (lowWatermark < ring.lowWatermark()) {
      // A restart that is lost; what was completed before it doesn't count.
      restart(lowWatermark);
    } else {
      ring.raise(lowWatermark);
    }
  }

  @Override
  public void deliveredEnd(long mark) {
    deliveredEnd = Math.max(deliveredEnd, mark);
  }

  @Override
  public void completed(long from, long count) {
    long end = from + count;
    completedEnd = Math.max(completedEnd, end);
    if (from <= ring.lowWatermark()) {
      ring.raise(end);
      return;
    }
    long top = reach(end);
    for (long s = from; s < top; s++) {
      if (ring.is(s, EntryState.UNSEEN)) {
        ring.move(s, EntryState.COMPLETED);
      }
    }
  }

  @Override
  public void attempts(long sequence, int attempts) {
    deliveredEnd(sequence + 1);
    if (sequence >= ring.lowWatermark() && sequence < reach(sequence + 1)) {
      ring.attempt(sequence, attempts);
      ring.due(sequence, TOLD);
    }
  }

  @Override
  public void notBefore(long sequence, long untilMillis, int delaySeconds) {
    if (sequence >= ring.lowWatermark() && sequence < reach(sequence + 1)) {
      ring.until(sequence, untilMillis, delaySeconds);
      ring.due(sequence, ring.due(sequence) | DELAYED);
    }
  }

  /** Returns the mark, which is above everything completed. */
  long mark() {
    return Math.max(deliveredEnd, completedEnd());
  }

  /**
   * Returns the state: below the mark, unfinished entries without attempts of their own have one,
   * but for a ledger by key. What is delayed is postponed. To be called once, at the end.
   */
  Ring complete() {
    reach(mark());
    for (long s = ring.lowWatermark(); s < ring.end(); s++) {
      if (!byKey && (ring.due(s) & TOLD) == 0 && s < mark()) {
        ring.attempt(s, 1);
      }
      boolean isPostponed = (ring.due(s) & DELAYED) != 0 && ring.is(s, EntryState.UNSEEN);
      postponed += isPostponed ? 1 : 0;
      ring.postpone(s, isPostponed);
    }
    return ring;
  }

  /** Returns how many are postponed; at the end. */
  int postponed() {
    return postponed;
  }

  /**
   * Extends the ring to this end, or as far as it may go: what is beyond is forgotten, and so comes
   * again.
   */
  private long reach(long end) {
    long top = Math.min(end, ring.lowWatermark() + Limits.MAX_WINDOW);
    ring.extendTo(Math.max(ring.end(), top));
    return top;
  }
}
