package com.wookler.river.crash;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How often each fault comes: a few times in every build, often with {@code -Pcrash}. */
final class Counts {
  static final int KILLS = Integer.getInteger("river.crash.rounds", 6);
  static final int POWER_LOSSES = Integer.getInteger("river.crash.losses", 1);
  static final int IO_ERRORS = Integer.getInteger("river.crash.errors", 3);
  static final long STUCK = Long.getLong("river.crash.stuck", 500_000);
  static final int REACTOR = Integer.getInteger("river.crash.reactor", 10_000);
  static final int REACTOR_KILLS = REACTOR < 100_000 ? 1 : 5;

  private static final Logger LOG = LoggerFactory.getLogger(Counts.class);

  private Counts() {}

  /** A new seed, or that of the run to be repeated; it is logged. */
  static long seed(Class<?> test) {
    long seed = Long.getLong("river.crash.seed", System.nanoTime() & 0xFFFF_FFFFL);
    LOG.warn("{}: repeat with -Driver.crash.seed={}", test.getSimpleName(), seed);
    return seed;
  }
}
