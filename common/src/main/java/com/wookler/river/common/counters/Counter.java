package com.wookler.river.common.counters;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A counter with a single writer at a time: the cheapest kind, without a lock or an atomic
 * instruction. If another thread takes over writing, the two must synchronise; concurrent writers
 * would lose additions.
 */
public final class Counter extends AbstractCounter {
  private static final VarHandle TOTAL;
  private static final VarHandle COUNT;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      TOTAL = lookup.findVarHandle(Counter.class, "total", long.class);
      COUNT = lookup.findVarHandle(Counter.class, "count", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  // Written opaquely by the single writer, so that reports on other threads never see half a value
  // and see it soon.
  private long total;
  private long count;

  /**
   * Creates a counter at zero.
   *
   * @param type {@link Count} or {@link Average}
   */
  public Counter(TimeWindow window, Class<? extends AbstractMeasure> type) {
    super(window, type);
  }

  @Override
  public void add(long value) {
    TOTAL.setOpaque(this, total + value);
    if (average) {
      COUNT.setOpaque(this, count + 1);
    }
  }

  @Override
  public void add(long value, long samples) {
    TOTAL.setOpaque(this, total + value);
    if (average) {
      COUNT.setOpaque(this, count + samples);
    }
  }

  @Override
  public long total() {
    return (long) TOTAL.getOpaque(this);
  }

  @Override
  public long count() {
    return (long) COUNT.getOpaque(this);
  }
}
