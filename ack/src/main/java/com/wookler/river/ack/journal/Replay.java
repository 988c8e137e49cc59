package com.wookler.river.ack.journal;

import com.wookler.river.ack.EntryState;
import com.wookler.river.ack.Limits;
import com.wookler.river.ack.Ring;

/**
 * Builds the state of a ledger again from the entries on disk. Entries may be missing, repeated, or
 * out of order; the state is never ahead of what was true. Confined to the thread that opens the
 * ledger.
 */
final class Replay implements JournalVisitor {
  // the due of an entry until the end: bits
  private static final int TRIED = 1; // it has attempts of its own
  private static final int DELAYED = 2;

  private final Ring ring;
  private final boolean byKey;
  private long deliveredEnd;
  private long completedEnd;
  private int postponed;

  /** Starts with nothing; {@code byKey}: each delivery has an entry, the position implies none. */
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
      // A restart that is lost; what was completed before it does not count.
      restart(lowWatermark);
    } else {
      ring.raise(lowWatermark);
    }
  }

  @Override
  public void deliveredEnd(long next) {
    deliveredEnd = Math.max(deliveredEnd, next);
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
      ring.due(sequence, TRIED);
    }
  }

  @Override
  public void notBefore(long sequence, long untilMillis, int delaySeconds) {
    if (sequence >= ring.lowWatermark() && sequence < reach(sequence + 1)) {
      ring.until(sequence, untilMillis, delaySeconds);
      ring.due(sequence, ring.due(sequence) | DELAYED);
    }
  }

  /** Returns the next sequence that was never delivered, which is above everything completed. */
  long deliveredEnd() {
    return Math.max(deliveredEnd, completedEnd());
  }

  /**
   * Returns the state: below the delivered end, unfinished entries without attempts of their own
   * have one, but for a ledger by key. What is delayed is postponed. To be called once, at the end.
   */
  Ring complete() {
    reach(deliveredEnd());
    for (long s = ring.lowWatermark(); s < ring.end(); s++) {
      if (!byKey && (ring.due(s) & TRIED) == 0 && s < deliveredEnd()) {
        ring.attempt(s, 1);
      }
      boolean isPostponed = (ring.due(s) & DELAYED) != 0 && ring.is(s, EntryState.UNSEEN);
      postponed += isPostponed ? 1 : 0;
      ring.postpone(s, isPostponed);
    }
    return ring;
  }

  /** Returns how many entries are postponed; at the end. */
  int postponed() {
    return postponed;
  }

  /** Extends the ring to this end as far as it may; what is beyond is forgotten and redelivered. */
  private long reach(long end) {
    long top = Math.min(end, ring.lowWatermark() + Limits.MAX_WINDOW);
    ring.extendTo(Math.max(ring.end(), top));
    return top;
  }
}
