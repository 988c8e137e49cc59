package com.wookler.river.core.delay;

import com.wookler.river.common.TimeSource;
import java.util.concurrent.TimeUnit;

/**
 * The clock by which messages are due. It is the monotonic clock, and goes on from one run to the
 * next by as much as the wall clock did meanwhile, or not at all where that was set back. So a
 * delay is a duration, whatever the wall clock shows; times of this clock are no dates.
 *
 * <p>Thread-safe.
 */
final class TimerClock {
  private static final long TOLERANCE_MICROS = TimeUnit.SECONDS.toMicros(1);

  private final TimeSource time;
  private final long startNanos;
  private volatile long startMicros; // raised by the opening

  /** What the clock showed, and the wall clock beside it, both in microseconds. */
  record Reading(long time, long wall) {
    /** Where nothing is known: the clock begins with what the wall clock shows. */
    static final Reading NONE = new Reading(0, 0);
  }

  /**
   * Goes on.
   *
   * @param last what an earlier run has read
   * @param atLeast a time that the clock has shown already
   */
  TimerClock(TimeSource time, Reading last, long atLeast) {
    this.time = time;
    this.startNanos = time.nanoTime();
    long passed = Math.max(0, time.epochMicros() - last.wall());
    this.startMicros = Math.max(atLeast, last.time() + passed);
  }

  /** It has shown this time already, in an earlier run; called before others use the clock. */
  synchronized void showed(long micros) {
    long now = now();
    startMicros += Math.max(micros, now) - now;
  }

  /** Microseconds; never goes back. */
  long now() {
    return startMicros + (time.nanoTime() - startNanos) / 1_000;
  }

  Reading read() {
    return new Reading(now(), time.epochMicros());
  }

  /** Returns whether the wall clock was set since this was read. */
  boolean isSetSince(Reading last) {
    Reading now = read();
    long step = (now.wall() - last.wall()) - (now.time() - last.time());
    return Math.abs(step) > TOLERANCE_MICROS;
  }
}
