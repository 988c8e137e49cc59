package com.wookler.river.core.subscriber;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.ack.AckResult;
import com.wookler.river.ack.EntryState;
import com.wookler.river.ack.Ledger;
import com.wookler.river.common.Leases;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.Waiters;
import com.wookler.river.common.removed.SequenceRanges;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.Capacity;
import com.wookler.river.core.log.StoredTimes;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.QueueStatus;
import com.wookler.river.core.message.QueueStatusException;
import com.wookler.river.core.message.StaleReceiptException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What the parts of one subscriber share: its clock, and its lock with what that guards. It is held
 * for a poll or an acknowledgement, never while a consumer waits and never across the converter.
 */
final class SubscriberState<M> {
  final ReentrantLock lock = new ReentrantLock();
  volatile SubscriberConfig config; // written under the lock
  final SubscriberCounters counters;
  final SubscriberErrors errors;
  volatile Waiters.Line line; // of the consumers that are delivered to; written under the lock
  final TimeSource time;
  final StoredTimes times;
  final LedgerClock clock;
  final LedgerForce force;
  final Capacity capacity;
  private final BlockLog log;

  @GuardedBy("lock")
  final Ledger ledger;

  @GuardedBy("lock")
  final MessageFetcher<M> fetcher;

  @GuardedBy("lock")
  final Acknowledgements acknowledgements;

  final @Nullable Leases leases; // guarded by the lock; null: it is not exclusive

  final FailureMemory failures;
  final ReceiptMemory memory; // guarded by the lock
  final Discards discards;

  @GuardedBy("lock")
  private boolean paused;

  @GuardedBy("lock")
  private QueueStatus status = QueueStatus.UP; // of the queue

  @GuardedBy("lock")
  private boolean closed;

  @GuardedBy("lock")
  private long uses; // polls and acknowledgements

  @GuardedBy("lock")
  private long closedLowWatermark;

  SubscriberState(
      DeliveryOwner<M> owner,
      SubscriberContext<M> context,
      SubscriberConfig config,
      Ledger ledger,
      SubscriberCounters counters) {
    this.config = config;
    this.ledger = ledger;
    this.counters = counters;
    this.errors = new SubscriberErrors(context.queue(), config.name());
    this.line = context.log().arrivals().line();
    this.time = context.time();
    this.log = context.log();
    this.times = log.times();
    this.capacity = log.capacity();
    this.clock = new LedgerClock(time);
    ledger.wallClock(clock::wallAheadMillis);
    this.leases = config.exclusive() ? new Leases(config.lease(), time) : null;
    this.fetcher = new MessageFetcher<>(owner, config, context, ledger);
    this.failures = new FailureMemory(time, config.maxDeliveries() > 0);
    this.acknowledgements = new Acknowledgements(ledger, counters.acks(), failures, leases);
    this.memory = new ReceiptMemory(config.maxInFlight());
    this.force = new LedgerForce(config, ledger, context.order(), errors);
    this.discards = new Discards(this);
  }

  /** Takes other settings, which differ in options that may change while it is open. */
  void reconfigure(SubscriberConfig to) {
    lock.lock();
    try {
      if (closed) {
        return; // the next one is opened with them
      }
      config = to;
      ledger.limit(to.limits());
      fetcher.reconfigure(to);
      memory.grow(to.maxInFlight());
      force.changed();
    } finally {
      lock.unlock();
    }
    announceToAll(); // there may be room in the window now
  }

  @GuardedBy("lock")
  void ensureOpen() {
    if (closed) {
      throw errors.closed();
    }
    log.ownership().refuseLost(); // its files are another process's, or were removed
  }

  @GuardedBy("lock")
  boolean isClosed() {
    return closed;
  }

  /** Returns whether it is not closed; takes the lock. */
  boolean isOpen() {
    lock.lock();
    try {
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  /** One change to what the subscriber keeps of its messages; runs under its lock. */
  @FunctionalInterface
  interface Change<A, T> {
    /** Makes the change; where it throws nothing has changed. */
    T apply(Acknowledgements acknowledgements, A about);
  }

  /** What a change means to consumers that wait, and to the caller. */
  enum Effect {
    // messages are acknowledged: the caller waits until that is as durable as configured
    ACKNOWLEDGES,
    ACKNOWLEDGES_UNFORCED, // for which a later change waits that ACKNOWLEDGES
    RESCHEDULES, // messages are due at another time: a consumer that waits has to look again
    REMOVES // messages have left delivery
  }

  /**
   * Changes what the subscriber keeps of its messages. The one place for what belongs to each
   * change: the lock; that housekeeping and the flusher look again; that the queue's limits admit
   * publishers that wait for capacity; that one consumer which can continue now is woken; and the
   * wait for the device, which a stale acknowledgement does not need.
   *
   * @throws StaleReceiptException it is about a delivery, and the subscriber was closed
   * @throws QueueClosedException the queue or, otherwise, the subscriber was closed
   * @throws QueueStatusException the queue is {@link QueueStatus#DOWN}
   */
  <A, T> T change(A about, Change<? super A, T> change, Effect effect) {
    T result;
    boolean wake;
    long acknowledged;
    lock.lock();
    try {
      ensureOpen(about);
      used();
      boolean wasFull = !ledger.canDeliver();
      result = change.apply(acknowledgements, about);
      wake = changed(wasFull) || effect == Effect.RESCHEDULES;
      acknowledged =
          effect == Effect.ACKNOWLEDGES && result != AckResult.STALE ? force.acknowledged() : 0;
    } finally {
      lock.unlock();
    }
    announce(wake);
    force.await(acknowledged);
    return result;
  }

  /** As {@link #change}, in the background; false if nothing was changed, or it is closed. */
  boolean changeIfOpen(BooleanSupplier change) {
    boolean wake;
    lock.lock();
    try {
      if (closed) {
        return false;
      }
      boolean wasFull = !ledger.canDeliver();
      if (!change.getAsBoolean()) {
        return false;
      }
      wake = changed(wasFull);
    } finally {
      lock.unlock();
    }
    announce(wake);
    return true;
  }

  /** Returns whether a consumer that waits can continue now, for which no publish wakes it. */
  @GuardedBy("lock")
  private boolean changed(boolean wasFull) {
    force.changed();
    if (wasFull) {
      line.listen(true);
    }
    return (ledger.pollUnlocked() || wasFull) && fetcher.hasMore();
  }

  /**
   * Has publishers look for capacity and, if asked to, wakes a consumer. To be called after each
   * change, without the lock.
   */
  void announce(boolean wake) {
    capacity.completed();
    if (wake) {
      line.wakeOne();
    }
  }

  /** Lets publishers that wait for capacity look again, and wakes all consumers. */
  void announceToAll() {
    capacity.completed();
    line.wakeAll();
  }

  /** Refuses a change by a closed subscriber, which voids its deliveries. */
  @GuardedBy("lock")
  private void ensureOpen(@Nullable Object about) {
    if (closed && about instanceof MessageDelivery<?> delivery && !log.isStopped()) {
      throw errors.stale(delivery.sequence(), delivery.attempt());
    }
    ensureOpen();
    if (!status.acknowledges()) {
      throw errors.refused(status);
    }
  }

  /** Collects the deliveries that have timed out, which the ledger may journal. */
  @GuardedBy("lock")
  void collectTimedOut() {
    if (ledger.collectTimedOut(clock.nowMillis()) > 0) {
      force.changed();
    }
  }

  /** Returns whether a message gets no delivery after this one. */
  boolean isLast(int attempt) {
    return config.maxDeliveries() > 0 && attempt >= config.maxDeliveries();
  }

  @GuardedBy("lock")
  boolean isPaused() {
    return paused || !status.delivers();
  }

  @GuardedBy("lock")
  void used() {
    uses++;
  }

  /** Returns a number that each poll and each acknowledgement raises. */
  long uses() {
    lock.lock();
    try {
      return uses;
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether a consumer has a message whose time is not over; takes the lock. */
  boolean hasInFlight() {
    lock.lock();
    try {
      if (closed) {
        return false;
      }
      collectTimedOut();
      return ledger.count(EntryState.IN_FLIGHT) > 0;
    } finally {
      lock.unlock();
    }
  }

  /** Pauses or resumes; takes the lock. */
  void pause(boolean value) {
    lock.lock();
    try {
      ensureOpen();
      paused = value;
      line.listen(!isPaused());
    } finally {
      lock.unlock();
    }
  }

  /** Takes the status of the queue, which may refuse acknowledgements; takes the lock. */
  void become(QueueStatus to) {
    lock.lock();
    try {
      status = to;
      line.listen(!closed && !isPaused());
    } finally {
      lock.unlock();
    }
  }

  /** Returns the lowest sequence that it still needs, also after it was closed; takes the lock. */
  long lowWatermark() {
    lock.lock();
    try {
      return closed ? closedLowWatermark : ledger.lowWatermark();
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether a message is not completed, also after it was closed; takes the lock. */
  boolean isPending(long sequence) {
    lock.lock();
    try {
      return closed ? closedLowWatermark <= sequence : !ledger.isCompleted(sequence);
    } finally {
      lock.unlock();
    }
  }

  /** Closes the files of a block that it has completed; takes the lock. */
  void leave(int block) {
    lock.lock();
    try {
      if (!closed) {
        fetcher.leave(block);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Ends all but the ledger, and returns false if that was done before; takes the lock. */
  boolean close() {
    lock.lock();
    try {
      if (closed) {
        return false;
      }
      closed = true;
      closedLowWatermark = ledger.lowWatermark();
      fetcher.close();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Stops delivering what was removed; see {@link DurableSubscriber#withdraw}. */
  boolean withdraw(SequenceRanges removed, SequenceRanges pending) {
    boolean[] had = {false};
    boolean unused = changeIfOpen(() -> withdraw(removed, pending, had));
    return had[0];
  }

  @SuppressWarnings("GuardedBy") // called under the lock
  private boolean withdraw(SequenceRanges removed, SequenceRanges pending, boolean[] had) {
    had[0] = fetcher.removed().withdraw(removed, pending);
    return true;
  }

  /** Moves the subscriber; {@link #announceToAll} is to follow. */
  void moveTo(long sequence) {
    lock.lock();
    try {
      ensureOpen();
      try {
        ledger.seek(sequence);
      } finally { // where it cannot be forced the subscriber has moved all the same
        fetcher.moved();
        line.listen(true);
        force.changed();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Ends the ledger of a closed subscriber; callers that wait for a force get an answer. */
  @SuppressWarnings("GuardedBy") // closed: nothing else calls the ledger but a force, which may
  void end() {
    force.end();
    ledger.close();
  }
}
