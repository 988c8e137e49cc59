package com.wookler.river.common;

import java.util.concurrent.TimeUnit;

/**
 * Schedules retries of background work with exponential backoff: one second after the first
 * failure, twice as long after each further one, at most a minute. One thread at a time tries and
 * reports the result; any thread may call {@link #isTime}.
 */
public final class RetryBackoff {
  private static final long FIRST_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long MAX_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final TimeSource time;
  private long nextNanos = FIRST_NANOS; // confined to the thread that tries
  private volatile long notBefore;

  /** Creates a backoff without a failure, so that the first try is due. */
  public RetryBackoff(TimeSource time) {
    this.time = time;
    this.notBefore = time.nanoTime();
  }

  /** Returns whether the next try is due. */
  public boolean isTime() {
    return time.nanoTime() - notBefore >= 0;
  }

  /** Ends the series of failures. */
  public void succeeded() {
    nextNanos = FIRST_NANOS;
  }

  /** Records a failure and returns the seconds until the next try. */
  public long failed() {
    long nanos = nextNanos;
    notBefore = time.nanoTime() + nanos;
    nextNanos = Math.min(nanos * 2, MAX_NANOS);
    return TimeUnit.NANOSECONDS.toSeconds(nanos);
  }

  /** Delays the next try by the shortest time, without counting a failure. */
  public void postpone() {
    notBefore = time.nanoTime() + FIRST_NANOS;
  }
}
