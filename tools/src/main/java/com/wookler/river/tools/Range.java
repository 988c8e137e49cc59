package com.wookler.river.tools;

import com.wookler.river.core.message.StoredMessage;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which messages: from one bound on, up to the other. A sequence as the upper bound is the last
 * one; a time is the first one left out.
 */
record Range(Bound from, Bound until) {
  /** A sequence, or a publish time if that is given. */
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

  /** Whether the upper bound lies below the lower one, where both are of one kind. */
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
