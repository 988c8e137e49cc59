package com.wookler.river.ack;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Orders the entries of a ring by what they wait for: those in flight (redelivery timeout) and
 * delayed by their {@link Deadlines}, others for the next delivery, or for their dead letter.
 * Delays are written to the journal, time in flight is not. Guarded by the subscriber's lock.
 */
final class Schedule {
  // deadlines handled in one call of collectTimedOut: some milliseconds of work
  static final int COLLECT_STEP = 8192;
  private static final long SECOND = TimeUnit.SECONDS.toMillis(1);

  private final Ring ring;
  private final AckJournal journal;
  private Retries retries;
  private long ackTimeoutMillis;
  private final Deadlines deadlines;
  private final ReadyQueue ready;
  private final ReadyQueue exhausted;
  private LongSupplier aheadMillis = () -> 0; // how far the wall clock is ahead of the ledger's
  private long timedOut;

  Schedule(Ring ring, AckJournal journal, Limits limits) {
    this.ring = ring;
    this.journal = journal;
    this.retries = limits.retries();
    this.ackTimeoutMillis = Math.min(limits.ackTimeoutMillis(), Limits.MAX_DELAY_MILLIS);
    this.deadlines = new Deadlines(ring);
    this.ready = new ReadyQueue(ring, EntryState.READY);
    this.exhausted = new ReadyQueue(ring, EntryState.EXHAUSTED);
  }

  void limit(Limits to) {
    retries = to.retries();
    ackTimeoutMillis = Math.min(to.ackTimeoutMillis(), Limits.MAX_DELAY_MILLIS);
  }

  void wallClock(LongSupplier ahead) {
    aheadMillis = ahead;
  }

  void putInFlight(long sequence, long nowMillis) {
    ring.putInFlight(sequence);
    due(sequence, nowMillis + ackTimeoutMillis);
  }

  void due(long sequence, long due) {
    ring.due(sequence, due);
    deadlines.add(due, sequence);
  }

  /** Delays an entry until {@code due}, {@code delayMillis} from when the delay began. */
  void delay(long sequence, long due, long delayMillis) {
    long seconds = TimeUnit.MILLISECONDS.toSeconds(delayMillis + SECOND - 1);
    journalDelay(sequence, due, (int) Math.min(seconds, AckJournal.MAX_NUMBER));
  }

  private void journalDelay(long sequence, long due, int seconds) {
    long until = due + aheadMillis.getAsLong();
    journal.notBefore(sequence, ring.attempt(sequence), until, seconds);
    ring.until(sequence, until, seconds);
    delayed(sequence, due);
  }

  private void delayed(long sequence, long due) {
    if (!ring.is(sequence, EntryState.DELAYED)) {
      ring.move(sequence, EntryState.DELAYED);
    }
    due(sequence, due);
  }

  /** Delays a postponed entry for the rest of its time, no longer than was asked for. */
  void continueDelay(long sequence, long nowMillis) {
    int seconds = ring.delaySeconds(sequence);
    long latest = nowMillis + seconds * SECOND;
    if (ring.until(sequence) > latest) {
      journalDelay(sequence, latest, seconds);
    } else {
      delayed(sequence, ring.until(sequence));
    }
  }

  /** Writes that an entry waits no longer, if it did. */
  void endDelay(long sequence) {
    if (ring.is(sequence, EntryState.DELAYED)) {
      journal.attempts(sequence, ring.attempt(sequence));
    }
  }

  void ready(long sequence) {
    if (!ring.is(sequence, EntryState.READY)) {
      ring.move(sequence, EntryState.READY);
      ready.add(sequence);
    }
  }

  void exhaust(long sequence) {
    ring.move(sequence, EntryState.EXHAUSTED);
    exhausted.add(sequence);
  }

  /** Returns whether this number of deliveries is all that a message gets. */
  boolean isExhausted(int attempts) {
    int most = retries.maxDeliveries();
    return most > 0 && attempts >= most;
  }

  int collectTimedOut(long nowMillis) {
    for (int moved = 0; moved < COLLECT_STEP; moved++) {
      long sequence = deadlines.takeDue(nowMillis);
      if (sequence < 0) {
        return moved;
      }
      if (ring.isInFlight(sequence)) {
        timedOut++;
        timeOut(sequence, nowMillis);
      } else {
        ready(sequence);
      }
    }
    return COLLECT_STEP;
  }

  private void timeOut(long sequence, long nowMillis) {
    int attempt = ring.attempt(sequence);
    if (isExhausted(attempt)) {
      exhaust(sequence);
      return;
    }
    long backoff = retries.delayMillis(sequence, attempt);
    long due = deadlines.taken() + backoff;
    if (due > nowMillis) {
      delay(sequence, due, backoff);
    } else {
      ready(sequence);
    }
  }

  /** Returns the next entry that is available; -1 if there is none. */
  long nextReady() {
    return ready.peek();
  }

  /** Returns the next entry that is exhausted; -1 if there is none. */
  long nextExhausted() {
    return exhausted.peek();
  }

  long nextDue() {
    return deadlines.next();
  }

  long timedOut() {
    return timedOut;
  }

  void clear() {
    deadlines.clear();
    ready.clear();
    exhausted.clear();
  }

  /** Entries of memory in use; for tests. */
  int deadlineCapacity() {
    return deadlines.capacity();
  }
}
