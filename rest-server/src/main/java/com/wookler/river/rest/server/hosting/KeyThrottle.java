package com.wookler.river.rest.server.hosting;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.RateBucket;
import com.wookler.river.common.TimeSource;
import com.wookler.river.rest.server.hosting.KeyLimits.Rate;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Holds the requests and the messages of a key to its rates. Thread-safe. */
final class KeyThrottle {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final KeyLimits limits;

  @GuardedBy("this")
  private final @Nullable RateBucket requests;

  @GuardedBy("this")
  private final @Nullable RateBucket messages;

  private KeyThrottle(KeyLimits limits, TimeSource time) {
    this.limits = limits;
    this.requests = bucket(limits.requests(), time);
    this.messages = bucket(limits.messages(), time);
  }

  /** Returns the throttle for limits: the one before if its rates are the same. */
  static KeyThrottle of(KeyLimits limits, TimeSource time, @Nullable KeyThrottle before) {
    return before != null && before.limits.equals(limits) ? before : new KeyThrottle(limits, time);
  }

  private static @Nullable RateBucket bucket(@Nullable Rate rate, TimeSource time) {
    return rate == null ? null : new RateBucket(rate.perSecond(), rate.most(), rate.most(), time);
  }

  /** Counts a request, or throws that it has to wait. */
  void countRequest(String key) {
    Rate rate = limits.requests();
    if (rate != null) {
      synchronized (this) {
        count(1, requests, rate, key, "requests");
      }
    }
  }

  /**
   * Counts the messages of a publish, or throws that it has to wait. More of them than the burst
   * are admitted as a burst is, and what follows waits for longer.
   */
  void countMessages(String key, int count) {
    Rate rate = limits.messages();
    if (rate != null) {
      synchronized (this) {
        count(count, messages, rate, key, "messages");
      }
    }
  }

  private static void count(
      int count, @Nullable RateBucket bucket, Rate rate, String key, String what) {
    if (bucket == null) {
      return;
    }
    long nanos = bucket.nanosUntil(Math.min(count, rate.most()));
    if (nanos > 0) {
      throw RequestException.later(
          RequestException.Reason.TOO_MANY_REQUESTS,
          "the key %s may have %d %s a second, %d at once"
              .formatted(key, rate.perSecond(), what, rate.most()),
          (int) Math.min(Integer.MAX_VALUE, (nanos + SECOND - 1) / SECOND));
    }
    bucket.take(count);
  }
}
