package com.wookler.river.common.counters;

/** Hears which counter names are reported; called on the threads that add and remove counters. */
@FunctionalInterface
public interface CounterListener {
  /** A name is reported from now on. No lock of the registry's is held. */
  void added(CounterSeries series);

  /**
   * A name with labels is not reported any more, because its last counter was taken out. No lock of
   * the registry's is held; its owner's may be, so that this must not call a queue. May come while
   * {@link #added} for the same series is under way on another thread: {@link
   * CounterSeries#hasEnded} tells the one that comes last.
   */
  default void removed(CounterSeries series) {}
}
