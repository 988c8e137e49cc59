package com.wookler.river.common;

import java.util.concurrent.TimeUnit;

/**
 * A token bucket, kept as the time until which what was taken so far is paid for. What was not
 * taken in a pause may be taken at once, up to the burst. Not thread-safe.
 */
public final class RateBucket {
  private static final double SECOND = TimeUnit.SECONDS.toNanos(1);

  private final TimeSource time;
  private final double nanosPerUnit;
  private final double burst; // in nanoseconds
  private final long made;
  private double paid; // nanoseconds of the clock, since it was made

  /**
   * Creates a bucket.
   *
   * @param perSecond how many a second; 0: any number
   * @param burst how many at once after a pause
   * @param first how many of them when it begins
   */
  public RateBucket(double perSecond, double burst, double first, TimeSource time) {
    this.time = time;
    this.nanosPerUnit = perSecond == 0 ? 0 : SECOND / perSecond;
    this.burst = burst * nanosPerUnit;
    this.made = time.nanoTime();
    this.paid = (burst - first) * nanosPerUnit;
  }

  /**
   * Returns how long this number may not be taken, in nanoseconds; 0: it may be now. More than the
   * burst may never be taken, but for what {@link #take} takes all the same.
   */
  public long nanosUntil(double count) {
    double now = time.nanoTime() - made;
    return (long) Math.max(0, paid + count * nanosPerUnit - burst - now);
  }

  /** Takes this number, also if it may not be taken now: what follows waits for longer. */
  public void take(double count) {
    double now = time.nanoTime() - made;
    paid = Math.max(paid, now) + count * nanosPerUnit;
  }

  /** Takes nothing after all. */
  public void giveBack(double count) {
    paid -= count * nanosPerUnit;
  }
}
