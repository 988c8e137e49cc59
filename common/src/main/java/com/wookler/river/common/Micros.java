package com.wookler.river.common;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Converts the stored form of times: microseconds since 1970-01-01T00:00:00Z. */
public final class Micros {
  private static final long PER_SECOND = 1_000_000;
  private static final long NANOS = 1_000;
  private static final Duration LONGEST = Duration.of(Long.MAX_VALUE, ChronoUnit.MICROS);

  private Micros() {}

  /** Returns the first microsecond that is not before this time, within the range of a long. */
  public static long atOrAfter(Instant time) {
    long seconds = time.getEpochSecond();
    if (Math.abs(seconds) >= Long.MAX_VALUE / PER_SECOND) {
      return seconds < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
    return seconds * PER_SECOND + (time.getNano() + NANOS - 1) / NANOS;
  }

  /** Returns a duration in microseconds, rounded up; {@link Long#MAX_VALUE} if it is longer. */
  public static long of(Duration time) {
    if (time.compareTo(LONGEST) >= 0) {
      return Long.MAX_VALUE;
    }
    long part = time.getNano() % NANOS == 0 ? 0 : 1;
    return time.getSeconds() * PER_SECOND + time.getNano() / NANOS + part;
  }

  /** Returns the duration of a number of microseconds. */
  public static Duration toDuration(long micros) {
    return Duration.of(micros, ChronoUnit.MICROS);
  }

  /** Returns the time of a number of microseconds since 1970. */
  public static Instant toInstant(long micros) {
    return Instant.ofEpochSecond(
        Math.floorDiv(micros, PER_SECOND), Math.floorMod(micros, PER_SECOND) * NANOS);
  }
}
