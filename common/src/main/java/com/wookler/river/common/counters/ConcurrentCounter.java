package com.wookler.river.common.counters;

import java.util.concurrent.atomic.LongAdder;

/** A counter to which any number of threads may add at the same time. */
public final class ConcurrentCounter extends AbstractCounter {
  private final LongAdder total = new LongAdder();
  private final LongAdder count = new LongAdder();

  /**
   * Creates a counter at zero.
   *
   * @param type {@link Count} or {@link Average}
   */
  public ConcurrentCounter(TimeWindow window, Class<? extends AbstractMeasure> type) {
    super(window, type);
  }

  @Override
  public void add(long value) {
    total.add(value);
    if (average) {
      count.increment();
    }
  }

  @Override
  public void add(long value, long samples) {
    total.add(value);
    if (average) {
      count.add(samples);
    }
  }

  @Override
  public long total() {
    return total.sum();
  }

  @Override
  public long count() {
    return count.sum();
  }
}
