package com.wookler.river.ack;

import java.util.HashSet;
import java.util.Set;

/**
 * The ledger of a subscriber that acknowledges. Guarded by the subscriber's lock.
 *
 * <p>The {@link Ring} is the truth of the run; {@link Schedule} keeps orders over it that may hold
 * stale entries. Every change is written to the journal first and to the ring second, so that a
 * snapshot taken in between lacks only what the journal's next record has.
 */
public final class AckLedger extends RingLedger {
  private long epoch;
  private long redelivered;
  private boolean unlocked;
  // taken back while they were taken out of delivery: no holder has them when that is undone
  private final Set<Long> takenBack = new HashSet<>();
  private boolean unwritten; // whether the journal has an older end of what was delivered

  public AckLedger(Limits limits, Ring ring, AckJournal journal, RecoveryReport recovery) {
    super(limits, ring, journal, recovery);
    this.epoch = journal.epoch();
  }

  @Override
  public long deliverNext(long sequence, long address, long nowMillis) {
    requireNext(sequence);
    int before = triedBefore(sequence);
    if (sequence < deliveredEnd) {
      journal.attempts(sequence, before + 1);
    } else {
      deliveredEnd = sequence + 1;
      unwritten = true;
    }
    ring.extendTo(Math.max(ring.end(), sequence + 1));
    return putInFlight(sequence, address, before, nowMillis);
  }

  @Override
  public void writeDelivered() {
    requireOpen();
    if (unwritten) {
      unwritten = false;
      journal.deliveredEnd(deliveredEnd);
    }
  }

  @Override
  public long deliver(long sequence, long address, long key, long nowMillis) {
    requireNext(sequence);
    KeyOrder order = keys;
    if (order == null) {
      throw new IllegalStateException("the ledger keeps the order of sequences");
    }
    int before = triedBefore(sequence);
    ring.extendTo(Math.max(ring.end(), sequence + 1));
    if (key != NO_KEY && !order.enter(sequence, key)) {
      ring.address(sequence, address);
      ring.move(sequence, EntryState.WAITING);
      moveOn();
      return NOT_NOW;
    }
    if (schedule.isExhausted(before)) {
      schedule.exhaust(sequence);
      moveOn();
      return NOT_NOW;
    }
    if (isPostponed(sequence, nowMillis)) {
      ring.address(sequence, address);
      schedule.continueDelay(sequence, nowMillis);
      moveOn();
      return NOT_NOW;
    }
    journal.attempts(sequence, before + 1);
    return putInFlight(sequence, address, before, nowMillis);
  }

  private void requireNext(long sequence) {
    requireOpen();
    if (sequence != position || !canDeliver()) {
      throw new IllegalStateException(
          "cannot deliver sequence "
              + sequence
              + ": position "
              + position
              + ", can deliver: "
              + canDeliver());
    }
  }

  private long putInFlight(long sequence, long address, int before, long nowMillis) {
    if (before > 0) {
      redelivered++;
    }
    ring.address(sequence, address);
    ring.attempt(sequence, before + 1);
    schedule.putInFlight(sequence, nowMillis);
    moveOn();
    return tag(sequence);
  }

  private void moveOn() {
    position++;
    skipCompleted();
  }

  @Override
  public long skip(long end) {
    requireOpen();
    long target = end;
    if (position > ring.lowWatermark()) {
      target = Math.min(end, ring.lowWatermark() + limits.window());
    }
    if (target <= position) {
      return position;
    }
    journal.completed(position, target - position);
    if (position == ring.lowWatermark()) {
      ring.raise(target);
    } else {
      ring.extendTo(Math.max(ring.end(), target));
      for (long s = position; s < target; s++) {
        if (ring.is(s, EntryState.UNSEEN)) {
          ring.complete(s);
        }
      }
    }
    position = Math.max(target, ring.lowWatermark());
    skipCompleted();
    return position;
  }

  @Override
  public long discard(long end) {
    requireOpen();
    long lowWatermark = ring.lowWatermark();
    if (end <= lowWatermark) {
      return 0;
    }
    journal.completed(lowWatermark, end - lowWatermark);
    long completed = 0;
    long known = Math.min(end, ring.end());
    for (long s = lowWatermark; s < known; s++) {
      if (ring.isCompleted(s)) {
        completed++;
      } else if (keys != null && !ring.is(s, EntryState.WAITING)) {
        unlockNext(keys, s);
      }
    }
    ring.raise(end);
    position = Math.max(position, ring.lowWatermark());
    skipCompleted();
    return end - lowWatermark - completed;
  }

  @Override
  public AckResult acknowledge(long sequence, long tag) {
    AckResult result = check(sequence, tag);
    if (result == AckResult.DONE) {
      completeOne(sequence);
    }
    return result;
  }

  @Override
  public int acknowledge(long first, long[] tags, int from, int count) {
    int done = 0;
    while (done < count && check(first + done, tags[from + done]) == AckResult.DONE) {
      done++;
    }
    if (done == 0) {
      return 0;
    }
    completeRun(first, first + done);
    for (int i = 0; keys != null && i < done; i++) {
      unlockNext(keys, first + i);
    }
    advanceLowWatermark();
    return done;
  }

  /** Changes, in this order, the journal, the entry, its key and the low watermark. */
  private void completeOne(long sequence) {
    journal.completed(sequence, 1);
    ring.complete(sequence);
    if (keys != null) {
      unlockNext(keys, sequence);
    }
    advanceLowWatermark();
  }

  /** Completes a message that no holder has acknowledged, so that a late one does so in vain. */
  private void completeUnacknowledged(long sequence) {
    ring.nextToken(sequence);
    completeOne(sequence);
  }

  /** Makes the next message of a completed one's key available, or exhausted. */
  private void unlockNext(KeyOrder order, long sequence) {
    long next = order.leave(sequence);
    if (next < 0) {
      return;
    }
    if (schedule.isExhausted(ring.attempt(next))) {
      schedule.exhaust(next);
    } else {
      schedule.ready(next);
    }
    unlocked = true;
  }

  @Override
  public boolean pollUnlocked() {
    requireOpen();
    boolean has = unlocked;
    unlocked = false;
    return has;
  }

  @Override
  public AckResult acknowledgeUpTo(long sequence, long tag) {
    AckResult result = check(sequence, tag);
    if (result == AckResult.STALE || (keys != null && result == AckResult.REPEATED)) {
      return result;
    }
    if (keys != null) {
      completeDelivered(keys, sequence);
      advanceLowWatermark();
      return AckResult.DONE;
    }
    // Even if this one was completed before: it is still known, so something below it isn't.
    completeRun(ring.lowWatermark(), sequence + 1);
    advanceLowWatermark();
    return AckResult.DONE;
  }

  /**
   * Completes all but those that wait, or did and have not been delivered since. Each run is
   * written and carried out before the next, so that a snapshot taken in between lacks nothing.
   */
  private void completeDelivered(KeyOrder order, long last) {
    long first = ring.lowWatermark();
    for (long s = first; s <= last + 1; s++) {
      if (s > last || isToCome(s)) {
        completeRun(first, s);
        first = s + 1;
      }
    }
    for (long s = ring.lowWatermark(); s <= last; s++) {
      if (ring.isCompleted(s)) {
        unlockNext(order, s);
      }
    }
  }

  /** Returns whether a message was not delivered yet, because of its key. */
  private boolean isToCome(long sequence) {
    return ring.is(sequence, EntryState.WAITING)
        || (ring.is(sequence, EntryState.READY) && ring.isFresh(sequence));
  }

  private void completeRun(long from, long end) {
    if (from == end) {
      return;
    }
    journal.completed(from, end - from);
    for (long s = from; s < end; s++) {
      if (!ring.isCompleted(s)) {
        ring.complete(s);
      }
    }
  }

  @Override
  public AckResult release(long sequence, long tag) {
    AckResult result = check(sequence, tag);
    if (result == AckResult.DONE) {
      int before = ring.attempt(sequence) - 1;
      journal.attempts(sequence, before);
      ring.attempt(sequence, before);
      giveBack(sequence);
    }
    return result;
  }

  @Override
  public AckResult retry(long sequence, long tag, long delayMillis, long nowMillis) {
    AckResult result = check(sequence, tag);
    if (result == AckResult.DONE) {
      if (delayMillis <= 0) {
        schedule.endDelay(sequence);
        giveBack(sequence);
      } else {
        long delay = Math.min(delayMillis, Limits.MAX_DELAY_MILLIS);
        ring.nextToken(sequence);
        schedule.delay(sequence, nowMillis + delay, delay);
      }
    }
    return result;
  }

  @Override
  public AckResult extend(long sequence, long tag, long millis, long nowMillis, long latestMillis) {
    AckResult result = check(sequence, tag);
    if (result == AckResult.DONE) {
      schedule.endDelay(sequence);
      if (!ring.isInFlight(sequence)) {
        ring.putInFlight(sequence);
      }
      long due = nowMillis + Math.min(millis, Limits.MAX_DELAY_MILLIS);
      schedule.due(sequence, Math.min(due, latestMillis));
    }
    return result;
  }

  @Override
  public int collectTimedOut(long nowMillis) {
    requireOpen();
    return schedule.collectTimedOut(nowMillis);
  }

  @Override
  public boolean skipExhausted() {
    requireOpen();
    int before = triedBefore(position);
    if (!schedule.isExhausted(before) || position - ring.lowWatermark() >= limits.window()) {
      return false;
    }
    ring.extendTo(Math.max(ring.end(), position + 1));
    ring.attempt(position, before);
    schedule.exhaust(position);
    moveOn();
    return true;
  }

  @Override
  public boolean skipPostponed(long nowMillis) {
    requireOpen();
    if (!isPostponed(position, nowMillis) || position - ring.lowWatermark() >= limits.window()) {
      return false;
    }
    schedule.continueDelay(position, nowMillis);
    moveOn();
    return true;
  }

  @Override
  public long startDeadLetter(long sequence) {
    if (sequence < 0 || sequence != nextExhausted()) {
      throw new IllegalStateException("sequence " + sequence + " isn't the next that is exhausted");
    }
    ring.move(sequence, EntryState.DEAD_LETTERING);
    return tag(sequence);
  }

  @Override
  public AckResult startDeadLetter(long sequence, long tag) {
    AckResult result = check(sequence, tag);
    if (result == AckResult.DONE) {
      ring.move(sequence, EntryState.DEAD_LETTERING);
    }
    return result;
  }

  @Override
  public boolean completeDeadLetter(long sequence, long tag) {
    requireOpen();
    if (!isDying(sequence, tag)) {
      return false;
    }
    completeUnacknowledged(sequence);
    return true;
  }

  @Override
  public void cancelDeadLetter(long sequence, long tag, long nowMillis) {
    requireOpen();
    if (!isDying(sequence, tag)) {
      return;
    }
    boolean held = !takenBack.remove(sequence);
    if (schedule.isExhausted(ring.attempt(sequence))) {
      schedule.exhaust(sequence);
      return;
    }
    schedule.putInFlight(sequence, nowMillis);
    if (!held) {
      giveBack(sequence);
    }
  }

  private boolean isDying(long sequence, long tag) {
    return ring.holds(sequence)
        && ring.is(sequence, EntryState.DEAD_LETTERING)
        && tag(sequence) == tag;
  }

  @Override
  public boolean complete(long sequence) {
    requireOpen();
    if (sequence < ring.lowWatermark()
        || (ring.holds(sequence) && ring.isCompleted(sequence))
        || sequence - ring.lowWatermark() >= Limits.MAX_WINDOW) {
      return false;
    }
    if (ring.holds(sequence) && ring.is(sequence, EntryState.WAITING)) {
      throw new IllegalStateException("sequence " + sequence + " waits for its key");
    }
    ring.extendTo(Math.max(ring.end(), sequence + 1));
    completeUnacknowledged(sequence);
    return true;
  }

  @Override
  public EntryState withdraw(long sequence) {
    if (isCompleted(sequence)) {
      return EntryState.COMPLETED;
    }
    EntryState before = sequence < position ? ring.state(sequence) : EntryState.UNSEEN;
    if (before == EntryState.READY || before == EntryState.DELAYED) {
      completeUnacknowledged(sequence);
    }
    return before;
  }

  @Override
  public long redeliver(long sequence, long nowMillis) {
    if (sequence < 0 || sequence != nextReady()) {
      throw new IllegalStateException("sequence " + sequence + " isn't the next to redeliver");
    }
    if (!ring.isFresh(sequence)) {
      redelivered++;
    }
    int attempt = ring.attempt(sequence) + 1;
    journal.attempts(sequence, attempt);
    ring.attempt(sequence, attempt);
    ring.nextToken(sequence);
    schedule.putInFlight(sequence, nowMillis);
    return tag(sequence);
  }

  @Override
  public void seek(long sequence) {
    requireOpen();
    if (sequence < 0) {
      throw new IllegalArgumentException("negative sequence " + sequence);
    }
    try {
      journal.seek(sequence);
    } finally {
      if (journal.epoch() != epoch) {
        restart(sequence);
      }
    }
  }

  @Override
  public long redelivered() {
    requireOpen();
    return redelivered;
  }

  private long tag(long sequence) {
    return DeliveryTag.of(epoch, ring.meta(sequence));
  }

  /** Returns whether an acknowledgement on this delivery counts: DONE if it does. */
  private AckResult check(long sequence, long tag) {
    requireOpen();
    if (sequence < ring.lowWatermark() || sequence >= position || tag(sequence) != tag) {
      return AckResult.STALE;
    }
    if (ring.isInFlight(sequence)) {
      return AckResult.DONE;
    }
    return switch (ring.state(sequence)) {
      case COMPLETED -> AckResult.REPEATED;
      case EXHAUSTED, DEAD_LETTERING, WAITING -> AckResult.STALE;
      default -> AckResult.DONE;
    };
  }

  @Override
  public void takeBack() {
    requireOpen();
    takenBack.clear(); // those that are still taken out are found again
    for (long s = ring.lowWatermark(); s < position; s++) {
      if (ring.is(s, EntryState.DEAD_LETTERING)) {
        takenBack.add(s);
      }
      boolean inFlight = ring.isInFlight(s);
      boolean timedOut = ring.is(s, EntryState.READY) || ring.is(s, EntryState.DELAYED);
      if (inFlight || (timedOut && !ring.isFresh(s))) {
        ring.nextToken(s);
      }
      if (inFlight && schedule.isExhausted(ring.attempt(s))) {
        schedule.exhaust(s);
      } else if (inFlight) {
        schedule.ready(s);
      }
    }
  }

  private void giveBack(long sequence) {
    ring.nextToken(sequence);
    schedule.ready(sequence);
  }

  private void advanceLowWatermark() {
    ring.advance();
    skipCompleted();
  }

  private void restart(long sequence) {
    ring.restart(sequence);
    schedule.clear();
    if (keys != null) {
      keys.clear();
    }
    takenBack.clear();
    unlocked = false;
    position = sequence;
    deliveredEnd = sequence;
    unwritten = false;
    postponedEnd = 0;
    epoch = journal.epoch();
  }
}
