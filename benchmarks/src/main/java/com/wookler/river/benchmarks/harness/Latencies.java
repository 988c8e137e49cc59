package com.wookler.river.benchmarks.harness;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.HdrHistogram.Histogram;

/** Times, and their percentiles. Confined to the thread that records until that has ended. */
public final class Latencies {
  private static final long LONGEST = Duration.ofMinutes(10).toNanos();

  private final Histogram histogram = new Histogram(LONGEST, 3);

  /**
   * A steady rate. Waits of more than 60 µs are parked until 60 µs before the turn, the rest is
   * spun: parking alone would be late by about as much, spinning alone would take a core at any
   * rate. Turns are not skipped after a stall, so that times which are measured from the intended
   * turn show what a stall does to all that comes after it.
   */
  public record Pace(long start, int rate) {
    private static final long SPIN_NANOS = 60_000;

    /** Returns when a turn is due. */
    public long due(long turn) {
      return start + (long) (turn * (1e9 / rate));
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

  /** What is done each turn; takes its number, from 0. */
  @FunctionalInterface
  public interface Turn {
    /** Does it. */
    void run(long number) throws Exception;
  }

  /**
   * Does something at a steady rate, unless it is to end before; returns how late each turn ended,
   * counted from when it was due.
   */
  public static Latencies paced(int rate, long most, BooleanSupplier end, Turn work)
      throws Exception {
    Latencies latencies = new Latencies();
    latencies.pace(new Pace(System.nanoTime(), rate), most, end, work);
    return latencies;
  }

  /** Does the same at a pace that has begun; returns how many turns there were. */
  public long pace(Pace pace, long most, BooleanSupplier end, Turn work) throws Exception {
    long turn = 0;
    while (turn < most && !end.getAsBoolean()) {
      pace.await(turn);
      work.run(turn);
      record(System.nanoTime() - pace.due(turn));
      turn++;
    }
    return turn;
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
    return histogram.getValueAtPercentile(percentile) / 1e3;
  }

  /** Returns these percentiles and the maximum by their names in tables. */
  public Map<String, Double> percentiles(String... asked) {
    Map<String, Double> figures = new LinkedHashMap<>();
    for (String percentile : asked) {
      figures.put("p" + percentile + " µs", micros(Double.parseDouble(percentile)));
    }
    figures.put(Rounds.MAX, micros(100));
    return figures;
  }
}
