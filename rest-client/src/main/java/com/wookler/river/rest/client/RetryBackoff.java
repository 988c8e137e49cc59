package com.wookler.river.rest.client;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** Computes the pauses between retries: exponential, with jitter. Confined to one call. */
final class RetryBackoff {
  private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final int MAX_DOUBLINGS = 6; // 3.2 seconds

  private int attempts;

  /** Returns the next pause, at random between half of its full length and all of it. */
  long nextNanos() {
    long most = FIRST_NANOS << Math.min(attempts++, MAX_DOUBLINGS);
    return ThreadLocalRandom.current().nextLong(most / 2, most + 1);
  }

  /** Starts again with the shortest pause, after a success. */
  void reset() {
    attempts = 0;
  }
}
