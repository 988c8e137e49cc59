package com.wookler.river.common.counters;

import java.util.function.LongSupplier;

/**
 * A counter whose number is kept elsewhere and read when it is reported: a {@link Count} or a
 * {@link Gauge}. It cannot be added to. Thread-safe if its supplier is.
 */
public final class DerivedCounter extends AbstractCounter {
  private final LongSupplier value;

  /**
   * Creates a counter that reads its number.
   *
   * @param type {@link Count}, if it only grows, or {@link Gauge}
   * @param value called on the threads that report, without a lock of River held; must not throw
   *     and should not take long
   */
  public DerivedCounter(
      TimeWindow window, Class<? extends AbstractMeasure> type, LongSupplier value) {
    super(window, type);
    if (type == Average.class) {
      throw new IllegalArgumentException(
          "A derived counter cannot be an average, which needs samples");
    }
    this.value = value;
  }

  /**
   * Not supported.
   *
   * @throws UnsupportedOperationException always
   */
  @Override
  public void add(long added) {
    throw new UnsupportedOperationException(
        name() + " is a derived counter and cannot be added to");
  }

  /**
   * Not supported.
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
