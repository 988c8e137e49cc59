package com.wookler.river.benchmarks.scale;

import java.util.Arrays;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

/**
 * Does something at a fixed rate and notes how late each was done, counted from when it was due:
 * whoever waits behind a pause counts, too.
 */
final class Pacer {
  private final long gapNanos;

  Pacer(int aSecond) {
    this.gapNanos = 1_000_000_000L / aSecond;
  }

  /**
   * Until told to end, or so often.
   *
   * @param work gets the number of the call, from 0
   */
  Lateness run(int most, BooleanSupplier end, LongConsumer work) {
    long[] nanos = new long[most];
    int done = 0;
    long due = System.nanoTime();
    while (done < most && !end.getAsBoolean()) {
      while (System.nanoTime() - due < 0) {
        Thread.onSpinWait(); // parking would be late itself, by more than the gap
      }
      work.accept(done);
      nanos[done++] = System.nanoTime() - due;
      due += gapNanos;
    }
    return new Lateness(Arrays.copyOf(nanos, done));
  }

  /** How late things were done; exact, not binned. */
  static final class Lateness {
    private final long[] sorted;

    private Lateness(long[] nanos) {
      Arrays.sort(nanos);
      this.sorted = nanos;
    }

    int count() {
      return sorted.length;
    }

    /** In microseconds; a quantile of 1 is the maximum. */
    double micros(double quantile) {
      if (sorted.length == 0) {
        return 0;
      }
      int place = (int) Math.ceil(sorted.length * quantile) - 1;
      return sorted[Math.max(0, Math.min(place, sorted.length - 1))] / 1_000.0;
    }
  }
}
