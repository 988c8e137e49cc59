package com.wookler.river.examples;

import java.util.Arrays;
import java.util.Locale;

/** Records the times of one thread's calls, and computes their percentiles. */
final class LatencyRecorder {
  private static final double MICRO = 1_000;

  private final long[] nanos;
  private int count;

  LatencyRecorder(int capacity) {
    nanos = new long[capacity];
  }

  void add(long value) {
    nanos[count++] = value;
  }

  int count() {
    return count;
  }

  /** Returns the value that a share of all values does not exceed, in nanoseconds. */
  long percentile(double share) {
    long[] sorted = Arrays.copyOf(nanos, count);
    Arrays.sort(sorted);
    return sorted[(int) Math.min(count - 1L, (long) (count * share))];
  }

  @Override
  public String toString() {
    if (count == 0) {
      return "nothing arrived";
    }
    return String.format(
        Locale.ROOT,
        "p50 %.1f  p99 %.1f  p99.9 %.1f  p99.99 %.1f  max %.1f",
        percentile(0.5) / MICRO,
        percentile(0.99) / MICRO,
        percentile(0.999) / MICRO,
        percentile(0.9999) / MICRO,
        percentile(1) / MICRO);
  }
}
