package com.wookler.river.common;

import java.util.concurrent.TimeUnit;

/**
 * The clock by which messages are due: the monotonic clock, which between two runs advances by as
 * much as the wall clock did, or not at all where that was set back. So a delay is a duration,
 * whatever the wall clock shows; times of this clock are no dates. Thread-safe.
 */
public final class TimerClock {
  private static final long TOLERANCE_MICROS = TimeUnit.SECONDS.toMicros(1);

  private final TimeSource time;
  private final long startNanos;
  private volatile long startMicros; // raised by the opening

  /** The times of this clock and of the wall clock at one moment, in microseconds. */
  public record Reading(long time, long wall) {
    /** Is unknown: the clock begins at the time of the wall clock. */
    public static final Reading NONE = new Reading(0, 0);
  }

  /** Continues the clock of an earlier run from its last reading, at least at {@code atLeast}. */
  public TimerClock(TimeSource time, Reading last, long atLeast) {
    this.time = time;
    this.startNanos = time.nanoTime();
    long passed = Math.max(0, time.epochMicros() - last.wall());
    this.startMicros = Math.max(atLeast, last.time() + passed);
  }

  /** Advances the clock to a time that an earlier run has shown; before others use the clock. */
  public synchronized void showed(long micros) {
    long now = now();
    startMicros += Math.max(micros, now) - now;
  }

  /** Returns the time in microseconds; it never decreases. */
  public long now() {
    return startMicros + (time.nanoTime() - startNanos) / 1_000;
  }

  /** Returns the times now. */
  public Reading read() {
    return new Reading(now(), time.epochMicros());
  }

  /** Returns whether the wall clock was set since this was read. */
  public boolean isSetSince(Reading last) {
    Reading now = read();
    long step = (now.wall() - last.wall()) - (now.time() - last.time());
    return Math.abs(step) > TOLERANCE_MICROS;
  }
}
