package com.wookler.river.core.subscriber;

import com.wookler.river.common.TimeSource;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many messages and bytes a second a subscriber delivers, by a token bucket for each. A
 * bucket is kept as the time until which what was taken so far is paid for. A second may be taken
 * in advance after a pause, a tenth of one when it begins, and one message always. Guarded by the
 * subscriber's lock.
 */
final class RateLimit {
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

  private RateLimit(SubscriberConfig config, TimeSource time) {
    this.time = time;
    this.maxRate = config.maxRate();
    this.maxBytesRate = config.maxBytesRate();
    this.nanosPerMessage = maxRate == 0 ? 0 : SECOND / maxRate;
    this.nanosPerByte = maxBytesRate == 0 ? 0 : SECOND / maxBytesRate;
    this.made = time.nanoTime();
    this.messagesPaid = SECOND - Math.max(AT_FIRST, nanosPerMessage);
    this.bytesPaid = SECOND - AT_FIRST;
  }

  /** Returns what limits a subscriber from now on; null if nothing does. */
  static @Nullable RateLimit of(
      SubscriberConfig config, TimeSource time, @Nullable RateLimit before) {
    if (!config.isRateLimited()) {
      return null;
    }
    return before != null
            && before.maxRate == config.maxRate()
            && before.maxBytesRate == config.maxBytesRate()
        ? before // so that other changes give nothing in advance
        : new RateLimit(config, time);
  }

  /** Returns how long no message may be delivered, in nanoseconds; 0: one may be now. */
  long nanosUntilNext() {
    double now = time.nanoTime() - made;
    double messages = messagesPaid - now - (SECOND - nanosPerMessage);
    double bytes = bytesPaid - now - SECOND;
    return (long) Math.max(0, Math.max(messages, bytes));
  }

  /** Notes a delivery. */
  void took(int bytes) {
    double now = time.nanoTime() - made;
    messagesPaid = Math.max(messagesPaid, now) + nanosPerMessage;
    bytesPaid = Math.max(bytesPaid, now) + bytes * nanosPerByte;
  }

  /** Notes that a consumer did not get what was noted. */
  void giveBack(int bytes) {
    messagesPaid -= nanosPerMessage;
    bytesPaid -= bytes * nanosPerByte;
  }
}
