package com.wookler.river.core.ack;

/**
 * The ledger of a subscriber that acknowledges. Guarded by the subscriber's lock.
 *
 * <p>The {@link Ring} is the truth of the run; {@link Schedule} keeps orders over it that may hold
 * stale entries. Every fact goes to the journal first and to the ring second, so that a snapshot
 * taken in between lacks only what the journal's next record tells.
 */
final class AckLedger extends RingLedger {
  private long epoch;
  private long redelivered;
  private boolean goneOn;

  AckLedger(Limits limits, Ring ring, AckJournal journal, RecoveryReport recovery) {
    super(limits, ring, journal, recovery);
    this.epoch = journal.epoch();
  }

  @Override
  public long handOver(long sequence, long location, long nowMillis) {
    requireNext(sequence);
    int before = triedBefore(sequence);
    if (sequence < handedOver) {
      journal.attempts(sequence, before + 1);
    } else {
      handedOver = sequence + 1;
      journal.handedOver(handedOver);
    }
    ring.extendTo(Math.max(ring.end(), sequence + 1));
    return fly(sequence, location, before, nowMillis);
  }

  @Override
  public long handOver(long sequence, long location, long key, long nowMillis) {
    requireNext(sequence);
    KeyOrder order = keys;
    if (order == null) {
      throw new IllegalStateException("the ledger keeps the order of sequences");
    }
    int before = triedBefore(sequence);
    ring.extendTo(Math.max(ring.end(), sequence + 1));
    if (key != NO_KEY && !order.enter(sequence, key)) {
      ring.location(sequence, location);
      ring.move(sequence, Ring.WAITING);
      moveOn();
      return NOT_NOW;
    }
    if (schedule.isSpent(before)) {
      schedule.spend(sequence);
      moveOn();
      return NOT_NOW;
    }
    if (isPostponed(sequence, nowMillis)) {
      ring.location(sequence, location);
      schedule.goOnWaiting(sequence, nowMillis);
      moveOn();
      return NOT_NOW;
    }
    journal.attempts(sequence, before + 1);
    return fly(sequence, location, before, nowMillis);
  }

  private void requireNext(long sequence) {
    requireOpen();
    if (sequence != position || !hasRoom()) {
      throw new IllegalStateException(
          "cannot hand over sequence "
              + sequence
              + ": position "
              + position
              + ", room "
              + hasRoom());
    }
  }

  private long fly(long sequence, long location, int before, long nowMillis) {
    if (before > 0) {
      redelivered++;
    }
    ring.location(sequence, location);
    ring.attempt(sequence, before + 1);
    schedule.fly(sequence, nowMillis);
    moveOn();
    return ticket(sequence);
  }

  private void moveOn() {
    position++;
    passFinished();
  }

  @Override
  public long skip(long end) {
    requireOpen();
    long target = end;
    if (position > ring.floor()) {
      target = Math.min(end, ring.floor() + limits.window());
    }
    if (target <= position) {
      return position;
    }
    journal.finished(position, target - position);
    if (position == ring.floor()) {
      ring.raise(target);
    } else {
      ring.extendTo(Math.max(ring.end(), target));
      for (long s = position; s < target; s++) {
        if (ring.state(s) == Ring.UNSEEN) {
          ring.move(s, Ring.FINISHED);
        }
      }
    }
    position = Math.max(target, ring.floor());
    passFinished();
    return position;
  }

  @Override
  public long discard(long end) {
    requireOpen();
    long floor = ring.floor();
    if (end <= floor) {
      return 0;
    }
    journal.finished(floor, end - floor);
    long finished = 0;
    long known = Math.min(end, ring.end());
    for (long s = floor; s < known; s++) {
      if (ring.state(s) == Ring.FINISHED) {
        finished++;
      } else if (keys != null && ring.state(s) != Ring.WAITING) {
        letGo(keys, s);
      }
    }
    ring.raise(end);
    position = Math.max(position, ring.floor());
    passFinished();
    return end - floor - finished;
  }

  @Override
  public Outcome acknowledge(long sequence, long ticket) {
    Outcome verdict = judge(sequence, ticket);
    if (verdict == Outcome.DONE) {
      finishOne(sequence);
    }
    return verdict;
  }

  /** In this order: the fact, the entry, its key, the floor. */
  private void finishOne(long sequence) {
    journal.finished(sequence, 1);
    ring.move(sequence, Ring.FINISHED);
    if (keys != null) {
      letGo(keys, sequence);
    }
    settleFloor();
  }

  /** Has the next message of a finished one's key go on. */
  private void letGo(KeyOrder order, long sequence) {
    long next = order.leave(sequence);
    if (next < 0) {
      return;
    }
    if (schedule.isSpent(ring.attempt(next))) {
      schedule.spend(next);
    } else {
      schedule.ready(next);
    }
    goneOn = true;
  }

  @Override
  public boolean hasGoneOn() {
    requireOpen();
    boolean has = goneOn;
    goneOn = false;
    return has;
  }

  @Override
  public Outcome acknowledgeUpTo(long sequence, long ticket) {
    Outcome verdict = judge(sequence, ticket);
    if (verdict == Outcome.STALE || (keys != null && verdict == Outcome.REPEATED)) {
      return verdict;
    }
    if (keys != null) {
      finishHandedOver(keys, sequence);
      settleFloor();
      return Outcome.DONE;
    }
    // Even if this one was finished before: it is still known, so something below it isn't.
    finishRun(ring.floor(), sequence + 1);
    settleFloor();
    return Outcome.DONE;
  }

  /**
   * Leaves those that wait, or did and have not been handed over since. Each run is told and
   * carried out before the next, so that a snapshot taken in between lacks nothing.
   */
  private void finishHandedOver(KeyOrder order, long last) {
    long first = ring.floor();
    for (long s = first; s <= last + 1; s++) {
      if (s > last || isToCome(s)) {
        finishRun(first, s);
        first = s + 1;
      }
    }
    for (long s = ring.floor(); s <= last; s++) {
      if (ring.state(s) == Ring.FINISHED) {
        letGo(order, s);
      }
    }
  }

  /** Whether nobody was handed it yet, because of its key. */
  private boolean isToCome(long sequence) {
    int state = ring.state(sequence);
    return state == Ring.WAITING || (state == Ring.READY && ring.isFresh(sequence));
  }

  private void finishRun(long from, long end) {
    if (from == end) {
      return;
    }
    journal.finished(from, end - from);
    for (long s = from; s < end; s++) {
      if (ring.state(s) != Ring.FINISHED) {
        ring.move(s, Ring.FINISHED);
      }
    }
  }

  @Override
  public Outcome release(long sequence, long ticket) {
    Outcome verdict = judge(sequence, ticket);
    if (verdict == Outcome.DONE) {
      int before = ring.attempt(sequence) - 1;
      journal.attempts(sequence, before);
      ring.attempt(sequence, before);
      giveBack(sequence);
    }
    return verdict;
  }

  @Override
  public Outcome retry(long sequence, long ticket, long delayMillis, long nowMillis) {
    Outcome verdict = judge(sequence, ticket);
    if (verdict == Outcome.DONE) {
      if (delayMillis <= 0) {
        schedule.endDelay(sequence);
        giveBack(sequence);
      } else {
        long delay = Math.min(delayMillis, Limits.MAX_DELAY_MILLIS);
        ring.nextToken(sequence);
        schedule.delay(sequence, nowMillis + delay, delay);
      }
    }
    return verdict;
  }

  @Override
  public Outcome extend(
      long sequence, long ticket, long millis, long nowMillis, long latestMillis) {
    Outcome verdict = judge(sequence, ticket);
    if (verdict == Outcome.DONE) {
      schedule.endDelay(sequence);
      if (ring.state(sequence) != Ring.IN_FLIGHT) {
        ring.move(sequence, Ring.IN_FLIGHT);
      }
      long due = nowMillis + Math.min(millis, Limits.MAX_DELAY_MILLIS);
      schedule.due(sequence, Math.min(due, latestMillis));
    }
    return verdict;
  }

  @Override
  public int expire(long nowMillis) {
    requireOpen();
    return schedule.expire(nowMillis);
  }

  @Override
  public boolean skipSpent() {
    requireOpen();
    int before = triedBefore(position);
    if (!schedule.isSpent(before) || position - ring.floor() >= limits.window()) {
      return false;
    }
    ring.extendTo(Math.max(ring.end(), position + 1));
    ring.attempt(position, before);
    schedule.spend(position);
    moveOn();
    return true;
  }

  @Override
  public boolean passPostponed(long nowMillis) {
    requireOpen();
    if (!isPostponed(position, nowMillis) || position - ring.floor() >= limits.window()) {
      return false;
    }
    schedule.goOnWaiting(position, nowMillis);
    moveOn();
    return true;
  }

  @Override
  public long bury(long sequence) {
    if (sequence < 0 || sequence != nextSpent()) {
      throw new IllegalStateException("sequence " + sequence + " isn't the next that is spent");
    }
    ring.move(sequence, Ring.DYING);
    return ticket(sequence);
  }

  @Override
  public Outcome bury(long sequence, long ticket) {
    Outcome verdict = judge(sequence, ticket);
    if (verdict == Outcome.DONE) {
      ring.move(sequence, Ring.DYING);
    }
    return verdict;
  }

  @Override
  public boolean buried(long sequence, long ticket) {
    requireOpen();
    if (!isDying(sequence, ticket)) {
      return false;
    }
    finishOne(sequence);
    return true;
  }

  @Override
  public void exhume(long sequence, long ticket, long nowMillis) {
    requireOpen();
    if (!isDying(sequence, ticket)) {
      return;
    }
    if (schedule.isSpent(ring.attempt(sequence))) {
      schedule.spend(sequence);
    } else {
      schedule.fly(sequence, nowMillis);
    }
  }

  private boolean isDying(long sequence, long ticket) {
    return ring.holds(sequence) && ring.state(sequence) == Ring.DYING && ticket(sequence) == ticket;
  }

  @Override
  public boolean finish(long sequence) {
    requireOpen();
    if (sequence < ring.floor()
        || (ring.holds(sequence) && ring.state(sequence) == Ring.FINISHED)
        || sequence - ring.floor() >= Limits.MAX_WINDOW) {
      return false;
    }
    if (ring.holds(sequence) && ring.state(sequence) == Ring.WAITING) {
      throw new IllegalStateException("sequence " + sequence + " waits for its key");
    }
    ring.extendTo(Math.max(ring.end(), sequence + 1));
    finishOne(sequence);
    return true;
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
    schedule.fly(sequence, nowMillis);
    return ticket(sequence);
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

  private long ticket(long sequence) {
    return Ticket.of(epoch, ring.meta(sequence));
  }

  /** Whether a verdict on this delivery counts: DONE if it does. */
  private Outcome judge(long sequence, long ticket) {
    requireOpen();
    if (sequence < ring.floor() || sequence >= position || ticket(sequence) != ticket) {
      return Outcome.STALE;
    }
    return switch (ring.state(sequence)) {
      case Ring.FINISHED -> Outcome.REPEATED;
      case Ring.SPENT, Ring.DYING, Ring.WAITING -> Outcome.STALE;
      default -> Outcome.DONE;
    };
  }

  private void giveBack(long sequence) {
    ring.nextToken(sequence);
    schedule.ready(sequence);
  }

  private void settleFloor() {
    ring.advance();
    passFinished();
  }

  private void restart(long sequence) {
    ring.restart(sequence);
    schedule.clear();
    if (keys != null) {
      keys.clear();
    }
    goneOn = false;
    position = sequence;
    handedOver = sequence;
    postponedEnd = 0;
    epoch = journal.epoch();
  }
}
