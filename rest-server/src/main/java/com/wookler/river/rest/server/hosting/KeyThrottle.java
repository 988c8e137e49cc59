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

  private final @Nullable Usage requests;
  private final @Nullable Usage messages;

  /** Creates a throttle. What is used of a rate that the one before has, too, stays used. */
  KeyThrottle(KeyLimits limits, TimeSource time, @Nullable KeyThrottle before) {
    this.requests = Usage.of(limits.requests(), time, before == null ? null : before.requests);
    this.messages = Usage.of(limits.messages(), time, before == null ? null : before.messages);
  }

  /** Counts a request, or throws that it has to wait. */
  void countRequest(String key) {
    if (requests != null) {
      requests.count(1, key, "requests");
    }
  }

  /** Counts a request that does not wait; those that follow do. */
  void countAcknowledgement() {
    if (requests != null) {
      requests.take(1);
    }
  }

  /**
   * Counts the messages of a publish, or throws that it has to wait. More of them than the burst
   * are admitted as a burst is, and what follows waits for longer.
   */
  void countMessages(String key, int count) {
    if (messages != null) {
      messages.count(count, key, "messages");
    }
  }

  /** What is used of a rate. Thread-safe. */
  private static final class Usage {
    private final Rate rate;

    @GuardedBy("this")
    private final RateBucket bucket;

    private Usage(Rate rate, TimeSource time) {
      this.rate = rate;
      this.bucket = new RateBucket(rate.perSecond(), rate.most(), rate.most(), time);
    }

    static @Nullable Usage of(@Nullable Rate rate, TimeSource time, @Nullable Usage before) {
      if (rate == null) {
        return null;
      }
      return before != null && before.rate.equals(rate) ? before : new Usage(rate, time);
    }

    synchronized void take(int count) {
      bucket.take(count);
    }

    synchronized void count(int count, String key, String what) {
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
}
