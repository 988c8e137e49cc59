package com.wookler.river.common.counters;

import java.util.function.LongSupplier;

/**
 * A number that is kept elsewhere and read from there when it is reported, a {@link Count} or a
 * {@link Gauge}. Nobody adds to it. Thread-safe as far as what it reads from is.
 */
public final class DerivedCounter extends AbstractCounter {
  private final LongSupplier value;

  /**
   * A number that is read from elsewhere.
   *
   * @param type {@link Count}, if it only grows, or {@link Gauge}
   * @param value asked on the threads that report, with no lock of River's held; must not throw and
   *     should not take long
   */
  public DerivedCounter(
      TimeWindow window, Class<? extends AbstractMeasure> type, LongSupplier value) {
    super(window, type);
    if (type == Average.class) {
      throw new IllegalArgumentException("An average has samples, and is added to");
    }
    this.value = value;
  }

  /**
   * Refuses.
   *
   * @throws UnsupportedOperationException always
   */
  @Override
  public void add(long added) {
    throw new UnsupportedOperationException(name() + " is read from elsewhere");
  }

  /**
   * Refuses.
   *
   * @throws UnsupportedOperationException always
   */
  @Override
  public void add(long added, long samples) {
    add(added);
  }

  @Override
  public long total() {
    return value.getAsLong();
  }

  @Override
  public long count() {
    return 0;
  }
}
