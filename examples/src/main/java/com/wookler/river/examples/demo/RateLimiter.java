package com.wookler.river.examples.demo;

import com.wookler.river.common.TimeSource;

/**
 * Limits one thread to a rate. After a delay the rate is not exceeded to catch up, except for a
 * short burst.
 */
final class RateLimiter {
  /** The shortest wait; shorter ones are not precise. */
  private static final long MIN_WAIT_NANOS = 1_000_000;

  /** The largest delay that may be caught up. */
  private static final long MAX_BURST_NANOS = 100_000_000;

  private final TimeSource time;
  private final double nanosPerStep;
  private long start; // confined, like steps, to the limited thread
  private long steps;

  /**
   * Creates a limiter.
   *
   * @param perSecond steps per second; 0 for unlimited
   */
  RateLimiter(TimeSource time, double perSecond) {
    this.time = time;
    this.nanosPerStep = perSecond <= 0 ? 0 : 1e9 / perSecond;
  }

  /** Counts steps, and waits until they are due. */
  void acquire(int count) throws InterruptedException {
    if (steps == 0) {
      start = time.nanoTime();
    }
    steps += count;
    long ahead = remaining();
    if (ahead < -MAX_BURST_NANOS) {
      start += -MAX_BURST_NANOS - ahead;
    }
    while (ahead > MIN_WAIT_NANOS) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      time.park(this, ahead);
      ahead = remaining();
    }
  }

  private long remaining() {
    return (long) (steps * nanosPerStep) - (time.nanoTime() - start);
  }
}
