package com.wookler.river.core.delay;

import com.wookler.river.common.TimeSource;
import java.time.Duration;

/** Whether to say something that lasts: the first time, and each minute. Guarded by its owner. */
final class Seldom {
  private static final long MINUTE_NANOS = Duration.ofMinutes(1).toNanos();

  private final TimeSource time;
  private boolean said;
  private long saidAt;

  Seldom(TimeSource time) {
    this.time = time;
  }

  /** Whether it is time to say it, which counts as said then. */
  boolean isTime() {
    long now = time.nanoTime();
    if (said && now - saidAt < MINUTE_NANOS) {
      return false;
    }
    said = true;
    saidAt = now;
    return true;
  }
}
