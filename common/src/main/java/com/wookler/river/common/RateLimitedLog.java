package com.wookler.river.common;

import java.time.Duration;

/**
 * The rate limit of log lines about a condition that lasts: one when it begins, and one a minute
 * while it lasts. Not thread-safe.
 */
public final class RateLimitedLog {
  private static final long MINUTE_NANOS = Duration.ofMinutes(1).toNanos();

  private final TimeSource time;
  private boolean logged;
  private long loggedAt;

  /** Creates a limit under which the next line may be logged. */
  public RateLimitedLog(TimeSource time) {
    this.time = time;
  }

  /** Returns whether a line may be logged now, and counts it as logged if so. */
  public boolean mayLog() {
    long now = time.nanoTime();
    if (logged && now - loggedAt < MINUTE_NANOS) {
      return false;
    }
    logged = true;
    loggedAt = now;
    return true;
  }

  /** Records that the condition has ended, so that the next line may be logged. */
  public void reset() {
    logged = false;
  }
}
