package com.wookler.river.core.subscriber;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.TimeSource;
import com.wookler.river.core.ack.Ledger;
import com.wookler.river.core.log.Arrivals;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.Room;
import com.wookler.river.core.log.StoredTimes;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What the parts of one subscriber share: its lock, what that guards, and its clock.
 *
 * <p>The lock is held for a poll or a verdict, never while a consumer waits and never across the
 * converter.
 */
final class SubscriberState<M> {
  static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  final ReentrantLock lock = new ReentrantLock();
  final SubscriberConfig config;
  final SubscriberCounters counters;
  final Refusals refusals;
  final Arrivals.Line line;
  final TimeSource time;
  final StoredTimes times;
  final long openedNanos;
  private final long openedMillis;
  final LedgerForce force;
  final Room room;
  private final BlockLog log;
  final @Nullable Sieve<M> filter;

  /** Null in the order of sequences. */
  final @Nullable KeyOrderHash keys;

  @GuardedBy("lock")
  final Ledger ledger;

  @GuardedBy("lock")
  final Feed<M> feed;

  @GuardedBy("lock")
  final Verdicts verdicts;

  final ReceiptMemory memory;
  private volatile long discarded; // messages; written under the lock

  @GuardedBy("lock")
  private boolean paused;

  @GuardedBy("lock")
  private boolean closed;

  @GuardedBy("lock")
  private long closedFloor;

  SubscriberState(
      DurableSubscriber<M> subscriber,
      SubscriberContext<M> context,
      SubscriberConfig config,
      Ledger ledger,
      SubscriberCounters counters) {
    this.config = config;
    this.ledger = ledger;
    this.counters = counters;
    this.refusals = new Refusals(context.queue(), config.name());
    this.line = context.log().arrivals().line();
    this.time = context.time();
    this.log = context.log();
    this.times = log.times();
    this.room = log.room();
    this.openedNanos = time.nanoTime();
    this.openedMillis = TimeUnit.MICROSECONDS.toMillis(time.epochMicros());
    this.filter = config.filter() == null ? null : new Sieve<>(this, config.filter());
    this.keys = config.order() == Order.KEY ? new KeyOrderHash() : null;
    this.feed = new Feed<>(subscriber, config, context, ledger, keys);
    this.verdicts = new Verdicts(ledger, counters.acks());
    this.memory = new ReceiptMemory(config.maxInFlight());
    this.force =
        new LedgerForce(
            context.log(),
            ledger,
            () -> context.expiries().store().force(config.name()),
            refusals,
            config.ackDurability(),
            context.committer());
  }

  /** Milliseconds since 1970, by the monotonic clock since it was opened: its ledger's clock. */
  long nowMillis() {
    return millisAt(time.nanoTime());
  }

  long millisAt(long nanoTime) {
    return openedMillis + (nanoTime - openedNanos) / MILLI;
  }

  /** When the monotonic clock shows this time of the ledger's. */
  long nanosAt(long millis) {
    return openedNanos + (millis - openedMillis) * MILLI;
  }

  @GuardedBy("lock")
  void ensureOpen() {
    if (closed) {
      throw refusals.closed();
    }
    log.ownership().refuseLost(); // its files are another's, or gone
  }

  /**
   * Refuses a decision over a delivery whose subscriber was closed, which voids it.
   *
   * @throws StaleReceiptException the subscriber is closed
   * @throws QueueClosedException the queue is
   */
  @GuardedBy("lock")
  void ensureOpen(MessageDelivery<?> delivery) {
    if (closed) {
      throw log.isStopped() ? refusals.closed() : refusals.stale(delivery);
    }
    log.ownership().refuseLost();
  }

  @GuardedBy("lock")
  boolean isClosed() {
    return closed;
  }

  /** Whether somebody who waits can go on now that something was decided: no publish tells. */
  @GuardedBy("lock")
  boolean decided(boolean wasFull) {
    force.changed();
    if (wasFull) {
      line.listen(true);
    }
    return (ledger.hasGoneOn() || wasFull) && feed.hasMore();
  }

  /** Has the ledger look at what is overdue, of which it may tell its journal. */
  @GuardedBy("lock")
  void expire() {
    if (ledger.expire(nowMillis()) > 0) {
      force.changed();
    }
  }

  /** Whether a message gets no delivery after this one. */
  boolean isLast(int attempt) {
    return config.maxDeliveries() > 0 && attempt >= config.maxDeliveries();
  }

  @GuardedBy("lock")
  boolean isPaused() {
    return paused;
  }

  @GuardedBy("lock")
  void pause(boolean value) {
    ensureOpen();
    paused = value;
    line.listen(!value);
  }

  /** The lowest sequence that it still needs; also after it was closed. */
  @GuardedBy("lock")
  long floor() {
    return closed ? closedFloor : ledger.floor();
  }

  /** Ends all but the ledger. Returns false if that was done before. */
  @GuardedBy("lock")
  boolean close() {
    if (closed) {
      return false;
    }
    closed = true;
    closedFloor = ledger.floor();
    feed.close();
    return true;
  }

  /** Gives up what the limits of the queue have no room for. */
  @GuardedBy("lock")
  void discardGivenUp() {
    discard(room.discardBelow());
  }

  /** Finishes everything below a sequence. Returns whether a consumer that waits can go on now. */
  @GuardedBy("lock")
  boolean discard(long end) {
    if (closed || end <= ledger.floor()) {
      return false;
    }
    boolean full = !ledger.hasRoom();
    long before = discarded; // nobody else writes it
    discarded = before + ledger.discard(end);
    force.changed();
    if (full) {
      line.listen(true);
    }
    return feed.hasMore();
  }

  /** Messages that were given up since it was opened; any thread. */
  long discarded() {
    return discarded;
  }

  /** Ends the ledger of a closed subscriber, and gives an answer to whoever waits for a force. */
  @SuppressWarnings("GuardedBy") // closed: nothing else calls the ledger but a force, which may
  void end() {
    force.end();
    ledger.close();
  }
}
