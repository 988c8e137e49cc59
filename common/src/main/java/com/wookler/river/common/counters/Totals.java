package com.wookler.river.common.counters;

/** A sum and the number of samples in it. */
record Totals(long value, long count) {
  static final Totals ZERO = new Totals(0, 0);

  Totals plus(Totals other) {
    return new Totals(value + other.value, count + other.count);
  }

  Totals minus(Totals other) {
    return new Totals(value - other.value, count - other.count);
  }
}
