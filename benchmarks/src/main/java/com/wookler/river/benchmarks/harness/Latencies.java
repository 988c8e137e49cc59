package com.wookler.river.benchmarks.harness;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.HdrHistogram.Histogram;

/** Times, and their percentiles. Confined to the thread that records until that has ended. */
public final class Latencies {
  private static final double MICRO = 1_000;
  private static final int DIGITS = 3;
  private static final long LONGEST = Duration.ofMinutes(10).toNanos();

  private final Histogram histogram = new Histogram(LONGEST, DIGITS);

  /**
   * A steady rate. Waits of more than 60 µs are parked until 60 µs before the turn, the rest is
   * spun: parking alone would be late by about as much, spinning alone would take a core at any
   * rate. Turns are not skipped after a stall, so that times which are measured from the intended
   * turn show what a stall does to all that comes after it.
   */
  public static final class Pace {
    private static final long SPIN_NANOS = 60_000;
    private static final double SECOND = 1e9;

    private final long start;
    private final double step;

    /**
     * Creates a pace.
     *
     * @param start in nanoseconds of the system's clock
     * @param rate turns a second
     */
    public Pace(long start, int rate) {
      this.start = start;
      this.step = SECOND / rate;
    }

    /** Returns when a turn is due. */
    public long due(long turn) {
      return start + (long) (turn * step);
    }

    /** Waits until a turn is due. */
    public void await(long turn) {
      long due = due(turn);
      for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
        if (left > SPIN_NANOS) {
          LockSupport.parkNanos(this, left - SPIN_NANOS);
        } else {
          Thread.onSpinWait();
        }
      }
    }
  }

  /**
   * Does something at a steady rate and returns how late each turn ended, counted from when it was
   * due.
   *
   * @param most turns
   * @param end whether to stop before
   * @param work takes the number of the turn, from 0
   */
  public static Latencies paced(int rate, int most, BooleanSupplier end, LongConsumer work) {
    Latencies latencies = new Latencies();
    Pace pace = new Pace(System.nanoTime(), rate);
    for (int turn = 0; turn < most && !end.getAsBoolean(); turn++) {
      pace.await(turn);
      work.accept(turn);
      latencies.record(System.nanoTime() - pace.due(turn));
    }
    return latencies;
  }

  /** Records one time in nanoseconds. */
  public void record(long nanos) {
    histogram.recordValue(Math.min(LONGEST, Math.max(0, nanos)));
  }

  /** Adds what another has recorded. */
  public void add(Latencies other) {
    histogram.add(other.histogram);
  }

  /** Returns how many times were recorded. */
  public long count() {
    return histogram.getTotalCount();
  }

  /** Returns a percentile in microseconds; 100 is the maximum. */
  public double micros(double percentile) {
    return histogram.getValueAtPercentile(percentile) / MICRO;
  }

  /** Returns the percentiles by their names in tables. */
  public Map<String, Double> percentiles() {
    Map<String, Double> figures = new LinkedHashMap<>();
    for (String percentile : new String[] {"50", "99", "99.9", "99.99"}) {
      figures.put("p" + percentile + " µs", micros(Double.parseDouble(percentile)));
    }
    figures.put(Samples.MAX, micros(100));
    return figures;
  }
}
