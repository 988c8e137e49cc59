package com.wookler.river.common;

import java.time.Duration;

/** Whether to say something that lasts: the first time, and each minute. Not thread-safe. */
public final class Seldom {
  private static final long MINUTE_NANOS = Duration.ofMinutes(1).toNanos();

  private final TimeSource time;
  private boolean said;
  private long saidAt;

  /** Nothing was said yet. */
  public Seldom(TimeSource time) {
    this.time = time;
  }

  /** Whether it is time to say it, which counts as said then. */
  public boolean isTime() {
    long now = time.nanoTime();
    if (said && now - saidAt < MINUTE_NANOS) {
      return false;
    }
    said = true;
    saidAt = now;
    return true;
  }

  /** It lasts no more: when it comes again, that is the first time. */
  public void over() {
    said = false;
  }
}
