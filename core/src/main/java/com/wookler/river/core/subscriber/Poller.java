package com.wookler.river.core.subscriber;

import static com.wookler.river.core.subscriber.LedgerClock.MILLI;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.Leases;
import com.wookler.river.common.Waiters;
import com.wookler.river.core.subscriber.MessageFetcher.Stop;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Takes messages from the fetcher, counts and times that, and says when to look again. Thread-safe:
 * each call takes the subscriber's lock.
 */
final class Poller<M> {
  private static final int SAMPLE_MASK = 63;
  // how long a filter looks for a message before others have the thread
  static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final int TURN_MESSAGES = 1_000;
  private static final long LEAST_PARK_NANOS = TimeUnit.MICROSECONDS.toNanos(10);

  private final SubscriberState<M> state;
  private final DeadLettering<M> deadLettering;
  private final @Nullable FilterStage<M> filter;
  private final String owner;
  private final Waiters.Line line;

  /** Creates it for the consumers of an owner, which wait in a line. */
  Poller(
      SubscriberState<M> state,
      DeadLettering<M> deadLettering,
      @Nullable FilterStage<M> filter,
      String owner,
      Waiters.Line line) {
    this.owner = owner;
    this.line = line;
    this.state = state;
    this.deadLettering = deadLettering;
    this.filter = filter;
  }

  @Nullable Delivery<M> takeOne() {
    Delivery<M> taken = take(MessageFetcher::takeOne, 1);
    while (filter != null && taken != null && !passes(taken)) {
      taken = take(MessageFetcher::takeOne, 1);
    }
    return taken;
  }

  private boolean passes(Delivery<M> taken) {
    MessageDelivery<M> own = (MessageDelivery<M>) taken;
    boolean passes = filter == null || filter.passes(own);
    if (!passes && state.config.isRateLimited()) {
      state.lock.lock();
      try {
        state.fetcher.uncount(own);
      } finally {
        state.lock.unlock();
      }
    }
    return passes;
  }

  List<Delivery<M>> take(int max) {
    return Objects.requireNonNull(take(max, false)); // it looks to the end
  }

  /** Takes available messages into a chunk, as many as fit; returns whether there were any. */
  boolean take(DeliveryChunk<M> to, int max) {
    if (filter == null) {
      return take((from, nowMillis) -> from.take(to, max, nowMillis), max) != null;
    }
    List<Delivery<M>> passed = take(Math.min(max, DeliveryChunk.MAX));
    to.clear(0); // each has the time of its delivery
    passed.forEach(one -> to.add((MessageDelivery<M>) one));
    return !passed.isEmpty();
  }

  /** Takes available messages for a turn at most; null if it ended before one was found. */
  @Nullable List<Delivery<M>> takeInTurn(int max) {
    return take(max, true);
  }

  private @Nullable List<Delivery<M>> take(int max, boolean inTurn) {
    long end = filter != null && inTurn ? state.time.nanoTime() + TURN_NANOS : 0;
    int refused = 0;
    while (true) {
      List<Delivery<M>> taken = take((from, nowMillis) -> from.take(max, nowMillis), max);
      if (taken == null) {
        return List.of();
      }
      if (filter == null) {
        return taken;
      }
      List<Delivery<M>> passed = new ArrayList<>(taken.size());
      for (Delivery<M> one : taken) {
        if (passes(one)) {
          passed.add(one);
        }
      }
      if (!passed.isEmpty()) {
        return passed;
      }
      refused += taken.size();
      if (inTurn && (refused >= TURN_MESSAGES || state.time.nanoTime() - end >= 0)) {
        return null;
      }
    }
  }

  private <T> @Nullable T take(MessageFetcher.Taking<M, T> taking, int max) {
    T taken = takeNow(taking, max);
    while (taken == null && mayFindMore()) {
      taken = takeNow(taking, max);
    }
    return taken;
  }

  /** Returns whether the last take stopped on its way; consumers that wait lock first then. */
  private boolean mayFindMore() {
    if (!hasStoppedOnItsWay()) {
      return false;
    }
    if (state.lock.hasQueuedThreads()) {
      state.time.park(this, 1);
    }
    return true;
  }

  private boolean hasStoppedOnItsWay() {
    state.lock.lock();
    try {
      return !state.isClosed()
          && !state.isPaused()
          && isOwner()
          && state.fetcher.stop() == Stop.READ_AHEAD;
    } finally {
      state.lock.unlock();
    }
  }

  private <T> @Nullable T takeNow(MessageFetcher.Taking<M, T> taking, int max) {
    boolean wake = false;
    boolean exhausted = false;
    state.lock.lock();
    try {
      state.ensureOpen();
      state.used();
      if (!takeLease() || state.isPaused()) {
        line.listen(false);
        return null;
      }
      state.discards.overLimits();
      boolean ackRequired = state.config.ackRequired();
      long due = state.ledger.nextDueMillis();
      long before = state.fetcher.taken();
      long position = state.ledger.position();
      long redelivered = state.ledger.redelivered();
      long expired = state.fetcher.expiry().expired();
      boolean sampled =
          max > 1 || (before & SAMPLE_MASK) == 0 || state.counters.polls().isObserved();
      long started = ackRequired || sampled ? state.time.nanoTime() : state.clock.openedNanos;
      long nowMillis = state.clock.millisAt(started);
      T taken = taking.from(state.fetcher, nowMillis);
      exhausted = state.config.maxDeliveries() > 0 && state.ledger.nextExhausted() >= 0;
      if (state.fetcher.expiry().expired() != expired || due <= nowMillis) {
        state.force.changed();
      }
      if (taken == null) {
        Stop stop = state.fetcher.stop();
        boolean deaf = line.listen(stop != Stop.FULL && stop != Stop.RATE);
        if (state.ledger.position() != position || stop == Stop.STUCK) {
          state.force.touch(); // another message is the next, or this one is to be tried again
        }
        // published since the look, and before it listened; or this thread looks again itself; or
        // no publish wakes a consumer now, so that one of those that wait has to time the next look
        wake = stop == Stop.RATE ? deaf : stop != Stop.READ_AHEAD && state.fetcher.hasMore();
      } else {
        countAgain(state.ledger.redelivered() - redelivered);
        took(state.fetcher.taken() - before, sampled ? started : state.clock.openedNanos);
        if (state.fetcher.hasRate()) {
          line.listen(true); // it may have stopped an earlier look
        }
        // the caller without a time to look again needs one, now that something can fall due
        wake = state.fetcher.hasMore() || (due == Long.MAX_VALUE && ackRequired);
      }
      return taken;
    } finally {
      state.lock.unlock();
      announce(wake, exhausted);
    }
  }

  /** Takes or renews the lease; returns false if another owner has it. */
  @GuardedBy("state.lock")
  private boolean takeLease() {
    if (state.leases == null) {
      return true;
    }
    Leases.Result result = state.leases.take(owner);
    if (result == Leases.Result.REFUSED) {
      return false;
    }
    state.line = line;
    if (result == Leases.Result.TAKEN_OVER) {
      state.ledger.takeBack();
      state.force.changed();
    }
    return true;
  }

  /** Takes or renews the lease without taking a message. */
  boolean renewLease() {
    state.lock.lock();
    try {
      state.ensureOpen();
      state.used();
      return takeLease();
    } finally {
      state.lock.unlock();
    }
  }

  @GuardedBy("state.lock")
  private boolean isOwner() {
    return state.leases == null || state.leases.isOwner(owner);
  }

  private void announce(boolean wake, boolean exhausted) {
    state.announce(wake);
    if (exhausted) {
      deadLettering.wake();
    }
  }

  @GuardedBy("state.lock")
  private void countAgain(long messages) {
    if (messages > 0) {
      state.counters.redelivered().add(messages);
    }
  }

  /** Counts what was taken; {@code openedNanos} means that the start was not timed. */
  @GuardedBy("state.lock")
  private void took(long messages, long started) {
    state.force.changed();
    SubscriberCounters counters = state.counters;
    counters.reads().add(messages);
    counters.storeReads().add(messages);
    if (started != state.clock.openedNanos) {
      long nanos = state.time.nanoTime() - started;
      counters.readTime().add(nanos, messages);
      counters.polls().record(nanos);
    }
  }

  /** Returns when to look again even if nothing is published, in nanoseconds from now. */
  long nanosUntilDue() {
    state.lock.lock();
    try {
      if (state.isClosed()) {
        return Long.MAX_VALUE;
      }
      return state.leases == null
          ? nanosUntilMessage()
          : Math.min(
              Math.max(LEAST_PARK_NANOS, state.leases.nanosUntilTake(owner)), nanosUntilMessage());
    } finally {
      state.lock.unlock();
    }
  }

  @GuardedBy("state.lock")
  private long nanosUntilMessage() {
    if (state.isPaused() || !isOwner()) {
      return Long.MAX_VALUE;
    }
    if (state.fetcher.stop() == Stop.RATE) {
      return Math.max(LEAST_PARK_NANOS, state.fetcher.nanosUntilRate());
    }
    long due = state.ledger.nextDueMillis();
    return due == Long.MAX_VALUE
        ? Long.MAX_VALUE
        : Math.max(MILLI, (due - state.clock.nowMillis()) * MILLI);
  }

  /** Returns whether a rate or a lease has ended that stopped a take; for clocks moved by hand. */
  boolean mayTakeAgain() {
    if (!state.config.isRateLimited() && state.leases == null) {
      return false;
    }
    state.lock.lock();
    try {
      return isOwner()
          ? state.fetcher.stop() == Stop.RATE && state.fetcher.nanosUntilRate() == 0
          : state.leases != null && state.leases.nanosLeft() == 0;
    } finally {
      state.lock.unlock();
    }
  }

  /** Returns whether another consumer has reason to look. */
  boolean needsAnother() {
    state.lock.lock();
    try {
      return !state.isClosed()
          && isOwner()
          && (state.ledger.nextDueMillis() != Long.MAX_VALUE
              || state.fetcher.hasMore()
              || state.fetcher.stop() == Stop.RATE);
    } finally {
      state.lock.unlock();
    }
  }
}
