package com.wookler.river.core.subscriber;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** An acknowledgement for {@link Subscriber#settle}; each is a verb of {@link Delivery}. */
public sealed interface Settlement {
  /** See {@link Delivery#ack}. */
  static Settlement ack() {
    return Ack.INSTANCE;
  }

  /** See {@link Subscriber#ackUpTo}; of several receipts each goes so far. */
  static Settlement ackUpTo() {
    return AckUpTo.INSTANCE;
  }

  /** See {@link Delivery#nack()}. */
  static Settlement nack() {
    return Nack.BY_BACKOFF;
  }

  /** See {@link Delivery#nack(Duration)}. */
  static Settlement nack(Duration delay) {
    if (Objects.requireNonNull(delay, "delay").isNegative()) {
      throw new IllegalArgumentException("a delay of " + delay);
    }
    return new Nack(delay, null);
  }

  /** See {@link Delivery#nack(Duration, String)}. */
  static Nack nack(@Nullable Duration delay, String reason) {
    if (delay != null && delay.isNegative()) {
      throw new IllegalArgumentException("a delay of " + delay);
    }
    return new Nack(delay, Objects.requireNonNull(reason, "reason"));
  }

  /** See {@link Delivery#release}. */
  static Settlement release() {
    return Release.INSTANCE;
  }

  /** See {@link Delivery#reject}. */
  static Settlement reject(String reason) {
    return new Reject(Objects.requireNonNull(reason, "reason"));
  }

  /** See {@link Delivery#extend}. */
  static Settlement extend(Duration time) {
    if (Objects.requireNonNull(time, "time").isZero() || time.isNegative()) {
      throw new IllegalArgumentException("an extension by " + time);
    }
    return new Extend(time);
  }

  /** See {@link Settlement#ack}. */
  enum Ack implements Settlement {
    INSTANCE
  }

  /** See {@link Settlement#ackUpTo}. */
  enum AckUpTo implements Settlement {
    INSTANCE
  }

  /** See {@link Settlement#nack}. */
  record Nack(@Nullable Duration delay, @Nullable String reason) implements Settlement {
    private static final Nack BY_BACKOFF = new Nack(null, null);
  }

  /** See {@link Settlement#release}. */
  enum Release implements Settlement {
    INSTANCE
  }

  /** See {@link Settlement#reject}. */
  record Reject(String reason) implements Settlement {}

  /** See {@link Settlement#extend}. */
  record Extend(Duration time) implements Settlement {}
}
