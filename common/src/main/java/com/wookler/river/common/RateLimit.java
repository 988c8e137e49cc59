package com.wookler.river.common;

import org.jspecify.annotations.Nullable;

/**
 * Limits how many messages and bytes a second are taken, by a {@link RateBucket} for each. A second
 * may be taken in advance after a pause, a tenth of one when it begins, and one message always. Not
 * thread-safe.
 */
public final class RateLimit {
  private static final double AT_FIRST = 0.1;

  private final long maxRate; // 0: any number, as of the next
  private final long maxBytesRate;
  private final RateBucket messages;
  private final RateBucket bytes;

  private RateLimit(long maxRate, long maxBytesRate, TimeSource time) {
    this.maxRate = maxRate;
    this.maxBytesRate = maxBytesRate;
    this.messages = new RateBucket(maxRate, maxRate, Math.max(1, AT_FIRST * maxRate), time);
    this.bytes = new RateBucket(maxBytesRate, maxBytesRate, AT_FIRST * maxBytesRate, time);
  }

  /**
   * Returns a limit of messages and bytes a second, 0 being any number; null if there is none. It
   * is the one before if that has the same rates, so that other changes give nothing in advance.
   */
  public static @Nullable RateLimit of(
      long maxRate, long maxBytesRate, TimeSource time, @Nullable RateLimit before) {
    if (maxRate == 0 && maxBytesRate == 0) {
      return null;
    }
    return before != null && before.maxRate == maxRate && before.maxBytesRate == maxBytesRate
        ? before
        : new RateLimit(maxRate, maxBytesRate, time);
  }

  /** Returns how long no message may be taken, in nanoseconds; 0: one may be now. */
  public long nanosUntilNext() {
    return Math.max(messages.nanosUntil(1), bytes.nanosUntil(0)); // a message is taken whole
  }

  /** Notes a message that is taken. */
  public void took(int size) {
    messages.take(1);
    bytes.take(size);
  }

  /** Notes that a message was not taken after all. */
  public void giveBack(int size) {
    messages.giveBack(1);
    bytes.giveBack(size);
  }
}
