package com.wookler.river.core.subscriber;

import com.wookler.river.common.TimeSource;
import com.wookler.river.core.log.StoredTimes;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.message.Terms;
import org.jspecify.annotations.Nullable;

/**
 * Decides which messages have expired for one subscriber, and keeps them before they are completed;
 * while it cannot, the subscriber stops before the first of them ({@link #isStuck}). Reads the
 * clock only for messages that can expire. Guarded by the subscriber's lock.
 */
final class Expiry {
  private final Expiries expiries;
  private final TimeSource time;
  private final StoredTimes times;
  private SubscriberConfig subscriber;
  private long expired;
  private boolean stuck;

  Expiry(SubscriberContext<?> context, SubscriberConfig subscriber) {
    this.expiries = context.expiries();
    this.time = context.time();
    this.times = context.log().times();
    this.subscriber = subscriber;
  }

  void reconfigure(SubscriberConfig to) {
    subscriber = to;
    stuck = false; // the other queue may take what this one did not
  }

  boolean isOver(long publishedMicros, @Nullable Terms terms) {
    return expiries.isOver(times, time, publishedMicros, terms);
  }

  /** Returns when a message expires, by the wall clock; {@link Long#MAX_VALUE}: never. */
  long at(long publishedMicros, @Nullable Terms terms) {
    return expiries.expiresAt(times, publishedMicros, terms);
  }

  /** Keeps a message, and returns whether it may be completed. */
  boolean keep(StoredMessage message) {
    if (!expiries.store().keep(message, subscriber)) {
      stuck = true;
      return false;
    }
    expired++;
    return true;
  }

  /** Returns whether messages have to wait because expired ones could not be kept. */
  boolean isStuck() {
    return stuck;
  }

  void tryAgain() {
    stuck = false;
  }

  int sweep() {
    return expiries.sweep();
  }

  long nowMicros() {
    return time.epochMicros();
  }

  /** Changes when {@link #at} may: an object to be compared by identity. */
  Object clockVersion() {
    return times.version();
  }

  long expired() {
    return expired;
  }
}
