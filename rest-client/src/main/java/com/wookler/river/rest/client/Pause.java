package com.wookler.river.rest.client;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** Pauses between attempts: they grow, and differ at random. Confined to one call. */
final class Pause {
  private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final int MOST_DOUBLINGS = 6; // 3.2 seconds

  private int taken;

  /** The next one, from half of its length to all of it. */
  long nextNanos() {
    long most = FIRST_NANOS << Math.min(taken++, MOST_DOUBLINGS);
    return ThreadLocalRandom.current().nextLong(most / 2, most + 1);
  }

  /** It went well: begin anew. */
  void reset() {
    taken = 0;
  }
}
