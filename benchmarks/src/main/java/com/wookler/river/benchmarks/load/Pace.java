package com.wookler.river.benchmarks.load;

import com.wookler.river.common.TimeSource;
import java.time.Duration;

/**
 * A steady rate. Waits of more than 60 µs are parked until 60 µs before the turn, the rest is spun:
 * parking alone would be late by about as much, spinning alone would take a core at any rate. Who
 * is late does not skip turns, so that times which are measured from the intended turn show what a
 * stall does to all that comes after it.
 */
final class Pace {
  private static final TimeSource TIME = TimeSource.system();
  private static final long SPIN_NANOS = 60_000;
  private static final double SECOND = Duration.ofSeconds(1).toNanos();

  private final long start;
  private final double step;

  /**
   * A pace that starts at a moment.
   *
   * @param start in nanoseconds of the system's clock
   * @param rate turns a second
   */
  Pace(long start, int rate) {
    this.start = start;
    this.step = SECOND / rate;
  }

  /** When this turn is due. */
  long due(long turn) {
    return start + (long) (turn * step);
  }

  /** Waits until this turn is due. */
  void await(long turn) {
    long due = due(turn);
    for (long left = due - TIME.nanoTime(); left > 0; left = due - TIME.nanoTime()) {
      if (left > SPIN_NANOS) {
        TIME.park(this, left - SPIN_NANOS);
      } else {
        Thread.onSpinWait();
      }
    }
  }
}
