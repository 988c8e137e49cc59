package com.wookler.river.core;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * When messages expire.
 *
 * @param maxAge of a message; zero: any
 * @param queue where expired messages go, or null: nowhere
 * @param sweep how many housekeeping finishes in a step, at most, for one subscriber
 */
record ExpiryConfig(Duration maxAge, @Nullable String queue, int sweep) {
  private static final Duration LONGEST = Duration.ofDays(36_500);
  private static final int MAX_SWEEP = 1_000_000;

  /** Refuses what is out of its range. */
  void check(String of) {
    QueueConfig.check(
        of,
        !maxAge.isNegative() && maxAge.compareTo(LONGEST) <= 0,
        "queue.max.age is " + maxAge + "; zero to 36500 days are allowed");
    QueueConfig.check(
        of,
        sweep >= 1 && sweep <= MAX_SWEEP,
        "queue.max.expire.sweep is " + sweep + "; 1 to 1000000 are allowed");
    if (queue != null) {
      Names.check(of, "queue.expiry.queue", queue);
      QueueConfig.check(
          of, !queue.equalsIgnoreCase(of), "queue.expiry.queue is the queue itself; name another");
    }
  }

  long maxAgeMicros() {
    return maxAge.isZero() ? Long.MAX_VALUE : TimeUnit.NANOSECONDS.toMicros(maxAge.toNanos());
  }
}
