package com.wookler.river.benchmarks.load;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Times, and their percentiles. Confined to the thread that records until that has ended. */
final class Latencies {
  static final String UNIT = "µs (p99.99)";

  private static final double MICRO = 1_000;
  private static final int DIGITS = 3;
  private static final long LONGEST = Duration.ofMinutes(10).toNanos();

  private final Histogram histogram = new Histogram(LONGEST, DIGITS);

  /** Records one time in nanoseconds. */
  void record(long nanos) {
    histogram.recordValue(Math.min(LONGEST, Math.max(0, nanos)));
  }

  /** The outcome of a task that is about these times; its figure is p99.99. */
  Outcome outcome(Effort effort, long messages) {
    Map<String, Double> extra = new LinkedHashMap<>();
    extra.put(Figures.P50, micros(50));
    extra.put(Figures.P99, micros(99));
    extra.put(Figures.P999, micros(99.9));
    extra.put(Figures.P9999, micros(99.99));
    extra.put(Figures.MAX, histogram.getMaxValue() / MICRO);
    extra.putAll(Figures.of(effort, messages));
    return new Outcome(messages, effort.nanos(), micros(99.99), extra);
  }

  private double micros(double percentile) {
    return histogram.getValueAtPercentile(percentile) / MICRO;
  }
}
