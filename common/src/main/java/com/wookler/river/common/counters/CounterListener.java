package com.wookler.river.common.counters;

/** Is notified of the series that are reported, on the threads that add and remove counters. */
@FunctionalInterface
public interface CounterListener {
  /** Called when a series is reported from now on. The registry holds no lock. */
  void added(CounterSeries series);

  /**
   * Called when a series with labels is not reported any more, because its last counter was
   * removed. The registry holds no lock, but the counter's owner may, so that this must not call a
   * queue. It may run concurrently with {@link #added} for the same series: {@link
   * CounterSeries#hasEnded} is true in the later one.
   */
  default void removed(CounterSeries series) {}

  /** Called when a distribution can be observed from now on. */
  default void added(Distribution distribution) {}

  /** Called when the owner of a distribution is closed. It may run concurrently with the other. */
  default void removed(Distribution distribution) {}
}
