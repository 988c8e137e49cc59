package com.wookler.river.common;

import java.util.concurrent.TimeUnit;

/**
 * Times the retries of background work that fails: one second after the first failure, twice as
 * long after each further one, at most a minute. One thread at a time tries and reports the result;
 * any thread may ask whether it is time.
 */
public final class RetryBackoff {
  private static final long FIRST_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final TimeSource time;
  private long nextNanos = FIRST_NANOS; // confined to the thread that tries
  private volatile long notBefore;

  /** Creates a backoff with no failure, so that it is time. */
  public RetryBackoff(TimeSource time) {
    this.time = time;
    this.notBefore = time.nanoTime();
  }

  /** Returns whether to try, as far as past failures go. */
  public boolean isTime() {
    return time.nanoTime() - notBefore >= 0;
  }

  /** Ends the series of failures. */
  public void succeeded() {
    nextNanos = FIRST_NANOS;
  }

  /** Notes a failure and returns the seconds until the next try. */
  public long failed() {
    long nanos = nextNanos;
    notBefore = time.nanoTime() + nanos;
    nextNanos = Math.min(nanos * 2, LONGEST_NANOS);
    return TimeUnit.NANOSECONDS.toSeconds(nanos);
  }

  /** Puts the next try off for the shortest time, without counting a failure. */
  public void postpone() {
    notBefore = time.nanoTime() + FIRST_NANOS;
  }
}
