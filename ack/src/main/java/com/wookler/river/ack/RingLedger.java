package com.wookler.river.ack;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The queries of a ledger over a {@link Ring}, and its life; the changes are in {@link AckLedger}.
 * Guarded by the subscriber's lock.
 *
 * <p>Invariants: low watermark ≤ position ≤ end of the ring; the entry at the low watermark isn't
 * completed unless it is at the end; below the position no entry is UNSEEN; from the position on
 * there are only entries that recovery left, UNSEEN or FINISHED, and the one at the position isn't
 * completed.
 */
abstract class RingLedger implements Ledger {
  Limits limits;
  final Ring ring;
  final AckJournal journal;
  final Schedule schedule;
  final @Nullable KeyOrder keys; // null in the order of sequences
  long position;
  long deliveredEnd;
  long postponedEnd; // from here on nothing is postponed
  private final RecoveryReport recovery;
  private boolean closed;

  RingLedger(Limits limits, Ring ring, AckJournal journal, RecoveryReport recovery) {
    this.limits = limits;
    this.ring = ring;
    this.journal = journal;
    this.recovery = recovery;
    this.schedule = new Schedule(ring, journal, limits);
    this.position = ring.lowWatermark();
    this.keys = limits.byKey() ? new KeyOrder(ring) : null;
    this.deliveredEnd = limits.byKey() ? 0 : recovery.deliveredEnd();
    this.postponedEnd = recovery.delayed() > 0 ? ring.end() : 0;
    skipCompleted();
  }

  @Override
  public final void limit(Limits to) {
    requireOpen();
    limits = to;
    schedule.limit(to);
  }

  @Override
  public final void wallClock(LongSupplier aheadMillis) {
    schedule.wallClock(aheadMillis);
  }

  @Override
  public final long lowWatermark() {
    requireOpen();
    return ring.lowWatermark();
  }

  @Override
  public final long position() {
    requireOpen();
    return position;
  }

  @Override
  public final boolean canDeliver() {
    requireOpen();
    return mayPutInFlight() && position - ring.lowWatermark() < limits.window();
  }

  @Override
  public final long nextExhausted() {
    requireOpen();
    return schedule.nextExhausted();
  }

  @Override
  public final boolean isCompleted(long sequence) {
    return sequence < lowWatermark() || (ring.holds(sequence) && ring.isCompleted(sequence));
  }

  @Override
  public final int attempts(long sequence) {
    requireOpen();
    return triedBefore(sequence);
  }

  @Override
  public final long available(long from) {
    requireOpen();
    return ring.available(from);
  }

  @Override
  public final boolean isPostponed(long sequence, long nowMillis) {
    requireOpen();
    return sequence < postponedEnd
        && ring.holds(sequence)
        && ring.isPostponed(sequence)
        && ring.until(sequence) > nowMillis
        && !schedule.isExhausted(ring.attempt(sequence));
  }

  @Override
  public final long nextReady() {
    requireOpen();
    return mayPutInFlight() ? schedule.nextReady() : -1;
  }

  @Override
  public final long address(long sequence) {
    requireOpen();
    if (sequence < ring.lowWatermark() || sequence >= position) {
      throw new IllegalArgumentException(
          "sequence " + sequence + " isn't within " + ring.lowWatermark() + " and " + position);
    }
    return ring.address(sequence);
  }

  @Override
  public final long nextDueMillis() {
    requireOpen();
    return schedule.nextDue();
  }

  @Override
  public final int count(EntryState state) {
    requireOpen();
    return ring.count(state);
  }

  @Override
  public final boolean isLocked(long key) {
    requireOpen();
    return keys != null && keys.isLocked(key);
  }

  @Override
  public final long unfinished() {
    requireOpen();
    return (long) ring.count(EntryState.IN_FLIGHT)
        + ring.count(EntryState.READY)
        + ring.count(EntryState.DELAYED)
        + ring.count(EntryState.WAITING)
        + ring.count(EntryState.EXHAUSTED)
        + ring.count(EntryState.DEAD_LETTERING);
  }

  @Override
  public final long timedOut() {
    requireOpen();
    return schedule.timedOut();
  }

  @Override
  public final long unjournaled() {
    requireOpen();
    return journal.unjournaled();
  }

  @Override
  public final RecoveryReport recovery() {
    return recovery;
  }

  @Override
  public final void force() {
    journal.force();
  }

  @Override
  public final void whileStill(Runnable task) {
    journal.whileStill(task);
  }

  @Override
  public final void forceCompleted() {
    journal.forceCompleted();
  }

  @Override
  public final void close() {
    closed = true;
    journal.close();
  }

  /** Entries of memory in use; for tests. */
  int deadlineCapacity() {
    return schedule.deadlineCapacity();
  }

  final void requireOpen() {
    if (closed) {
      throw new IllegalStateException("the ledger is closed");
    }
  }

  final boolean mayPutInFlight() {
    return ring.count(EntryState.IN_FLIGHT) < limits.maxInFlight();
  }

  final int triedBefore(long sequence) {
    if (sequence < ring.end()) {
      return ring.attempt(sequence);
    }
    return sequence < deliveredEnd ? 1 : 0;
  }

  /** Keeps the position off completed entries, which only recovery leaves there. */
  final void skipCompleted() {
    while (position < ring.end() && ring.isCompleted(position)) {
      position++;
    }
  }
}
