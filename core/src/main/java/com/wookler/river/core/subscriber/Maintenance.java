package com.wookler.river.core.subscriber;

import com.wookler.river.core.log.BlockLog;
import java.util.concurrent.TimeUnit;

/**
 * Does what is due by time for a subscriber. While nothing can be due, a step of housekeeping costs
 * three reads of volatile fields and of the clocks: no lock, no read of the log, no task.
 *
 * <p>That is so from a step that found nothing to do, until the earliest of: the next deadline in
 * the ledger, the expiry of the message that is next, a publish if there is no such message, and
 * any change of the subscriber's. Confined to housekeeping.
 */
final class Maintenance<M> {
  private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final long NEVER_NANOS = TimeUnit.DAYS.toNanos(365);

  private final SubscriberState<M> state;
  private final DeadLettering<M> deadLettering;
  private final ExpirySweep<M> sweep;
  private final BlockLog log;
  private boolean quiet;
  private long quietUntil; // nanoseconds, of the clock
  private long quietEnd; // of the log; -1: wherever that is
  private long dueAt; // when something is due, also if that is long after quietUntil
  private long times;

  Maintenance(SubscriberState<M> state, DeadLettering<M> deadLettering, BlockLog log) {
    this.state = state;
    this.deadLettering = deadLettering;
    this.sweep = new ExpirySweep<>(state);
    this.log = log;
  }

  /** Runs a step, and returns whether something may be due for those that wait. */
  boolean run() {
    if (quiet
        && !state.force.isTouched()
        && (quietEnd < 0 || quietEnd == log.nextSequence())
        && state.time.nanoTime() - quietUntil < 0
        && !sweep.isQuietOver()) {
      return false;
    }
    times++;
    state.force.untouch();
    long end = log.nextSequence(); // before the look
    boolean nothingLeft = deadLettering.runMaintenance();
    sweep.run();
    quiet = nothingLeft && sweep.isQuiet();
    if (quiet) {
      rest(end);
    }
    return true;
  }

  private void rest(long end) {
    long now = state.time.nanoTime();
    long nanos = NEVER_NANOS;
    if (sweep.quietUntil() != Long.MAX_VALUE) {
      long micros = sweep.quietUntil() - state.time.epochMicros() - 1; // which was rounded down
      nanos = Math.min(nanos, TimeUnit.MICROSECONDS.toNanos(micros));
    }
    long due = dueMillis();
    if (due != Long.MAX_VALUE) {
      nanos = Math.min(nanos, state.clock.nanosAt(due) - now);
    }
    dueAt = now + (nanos > 0 ? nanos : NEVER_NANOS); // what is overdue waits for a poll
    quietUntil = now + Math.min(nanos, LONGEST_NANOS); // then it looks in any case
    quietEnd = sweep.isQuietWhatComes() ? -1 : end;
  }

  /** Returns for how long a step finds nothing that is due by time, if nothing changes. */
  long nanosUntilDue() {
    return quiet && !state.force.isTouched() ? Math.max(0, dueAt - state.time.nanoTime()) : 0;
  }

  /** Returns how many steps found that something could be due. */
  long times() {
    return times;
  }

  /** Returns when something is due in the ledger; never for a closed subscriber. */
  private long dueMillis() {
    state.lock.lock();
    try {
      return state.isClosed() ? Long.MAX_VALUE : state.ledger.nextDueMillis();
    } finally {
      state.lock.unlock();
    }
  }
}
