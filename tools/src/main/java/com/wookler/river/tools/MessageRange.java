package com.wookler.river.tools;

import com.wookler.river.core.message.StoredMessage;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A range of messages. A sequence as the upper bound is inclusive, a time exclusive. */
record MessageRange(Bound from, Bound until) {
  /** A bound: a publish time if it is not null, else a sequence. */
  record Bound(long sequence, @Nullable Instant time) {
    static Bound of(long sequence) {
      return new Bound(sequence, null);
    }

    static Bound of(Instant time) {
      return new Bound(-1, time);
    }
  }

  long firstSequence() {
    return Math.max(0, from.sequence());
  }

  long lastSequence() {
    return until.time() == null ? until.sequence() : Long.MAX_VALUE - 1;
  }

  /**
   * Returns whether the upper bound is below the lower one, if both are sequences or both are
   * times.
   */
  boolean isReversed() {
    Instant first = from.time();
    Instant end = until.time();
    return (first != null && end != null)
        ? first.isAfter(end)
        : (first == null && end == null && from.sequence() > until.sequence());
  }

  boolean isBefore(StoredMessage message) {
    Instant time = from.time();
    return time != null && message.publishedAt().isBefore(time);
  }

  boolean isAfter(StoredMessage message) {
    Instant time = until.time();
    return time != null && !message.publishedAt().isBefore(time);
  }
}
