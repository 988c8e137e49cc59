package com.wookler.river.core.message;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Publish times on disk: microseconds since 1970-01-01T00:00:00Z. */
public final class Micros {
  private static final long PER_SECOND = 1_000_000;
  private static final long NANOS = 1_000;

  private Micros() {}

  /** The first microsecond that is not before this time. */
  public static long atOrAfter(Instant time) {
    long floor = ChronoUnit.MICROS.between(Instant.EPOCH, time);
    return toInstant(floor).isBefore(time) ? floor + 1 : floor;
  }

  /** The time that a number of microseconds stands for. */
  public static Instant toInstant(long micros) {
    return Instant.ofEpochSecond(
        Math.floorDiv(micros, PER_SECOND), Math.floorMod(micros, PER_SECOND) * NANOS);
  }
}
