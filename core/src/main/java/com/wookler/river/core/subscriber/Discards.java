package com.wookler.river.core.subscriber;

/** Completes what the queue discards before one subscriber has completed it, and counts that. */
final class Discards {
  private final SubscriberState<?> state;
  private volatile long count; // messages; written under the subscriber's lock

  Discards(SubscriberState<?> state) {
    this.state = state;
  }

  /** Discards what the limits of the queue have no capacity for; called under the lock. */
  void overLimits() {
    discard(state.capacity.discardBelow());
  }

  /** Completes all messages below a sequence, in the background; takes the lock. */
  void below(long end) {
    boolean wake;
    state.lock.lock();
    try {
      wake = discard(end);
    } finally {
      state.lock.unlock();
    }
    state.announce(wake);
  }

  /** Completes all messages below a sequence; returns whether a waiting consumer can continue. */
  @SuppressWarnings("GuardedBy") // called under the lock
  private boolean discard(long end) {
    if (state.isClosed() || end <= state.ledger.lowWatermark()) {
      return false;
    }
    boolean wasFull = !state.ledger.canDeliver();
    long before = count; // written here only
    count = before + state.ledger.discard(end);
    state.force.changed();
    if (wasFull) {
      state.line.listen(true);
    }
    return state.fetcher.hasMore();
  }

  /** Returns how many messages were discarded since it was opened; any thread. */
  long count() {
    return count;
  }
}
