package com.wookler.river.common;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many messages and bytes a second are taken, by a token bucket for each. A bucket is
 * kept as the time until which what was taken so far is paid for. A second may be taken in advance
 * after a pause, a tenth of one when it begins, and one message always. Not thread-safe.
 */
public final class RateLimit {
  private static final double SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final double AT_FIRST = SECOND / 10;

  private final TimeSource time;
  private final long maxRate; // 0: any number, as of the next
  private final long maxBytesRate;
  private final double nanosPerMessage;
  private final double nanosPerByte;
  private double messagesPaid; // nanoseconds of the clock, since it was made
  private double bytesPaid;
  private final long made;

  private RateLimit(long maxRate, long maxBytesRate, TimeSource time) {
    this.time = time;
    this.maxRate = maxRate;
    this.maxBytesRate = maxBytesRate;
    this.nanosPerMessage = maxRate == 0 ? 0 : SECOND / maxRate;
    this.nanosPerByte = maxBytesRate == 0 ? 0 : SECOND / maxBytesRate;
    this.made = time.nanoTime();
    this.messagesPaid = SECOND - Math.max(AT_FIRST, nanosPerMessage);
    this.bytesPaid = SECOND - AT_FIRST;
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
    double now = time.nanoTime() - made;
    double messages = messagesPaid - now - (SECOND - nanosPerMessage);
    double bytes = bytesPaid - now - SECOND;
    return (long) Math.max(0, Math.max(messages, bytes));
  }

  /** Notes a message that is taken. */
  public void took(int bytes) {
    double now = time.nanoTime() - made;
    messagesPaid = Math.max(messagesPaid, now) + nanosPerMessage;
    bytesPaid = Math.max(bytesPaid, now) + bytes * nanosPerByte;
  }

  /** Notes that a message was not taken after all. */
  public void giveBack(int bytes) {
    messagesPaid -= nanosPerMessage;
    bytesPaid -= bytes * nanosPerByte;
  }
}
