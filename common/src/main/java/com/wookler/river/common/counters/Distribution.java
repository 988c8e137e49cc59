package com.wookler.river.common.counters;

import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongConsumer;

/**
 * Times or sizes of one kind, which are passed one by one to those who observe them: for
 * percentiles, which sums cannot give. While nothing observes it, it costs a read of a field.
 * Thread-safe.
 */
public final class Distribution {
  /** What is measured. */
  public enum Unit {
    /** Times, in nanoseconds. */
    NANOSECONDS,
    /** Sizes. */
    BYTES
  }

  private final String name;
  private final Map<String, String> labels;
  private final Unit unit;
  private final CopyOnWriteArrayList<LongConsumer> observers = new CopyOnWriteArrayList<>();
  private volatile boolean observed;

  /** Creates one that nothing observes. */
  public Distribution(String name, Map<String, String> labels, Unit unit) {
    this.name = name;
    this.labels = Map.copyOf(labels);
    this.unit = unit;
  }

  /** Returns its whole name. */
  public String name() {
    return name;
  }

  /** Returns what distinguishes it from others of its name. */
  public Map<String, String> labels() {
    return labels;
  }

  /** Returns what is measured. */
  public Unit unit() {
    return unit;
  }

  /** Returns whether anything observes it; else there is no need to measure. */
  public boolean isObserved() {
    return observed;
  }

  /** Passes a time or a size to those who observe it. */
  public void record(long value) {
    for (LongConsumer observer : observers) {
      observer.accept(value);
    }
  }

  /** Passes each value to an observer from now on, which is called on the threads that measure. */
  public synchronized void observe(LongConsumer observer) {
    observers.add(observer);
    observed = true;
  }

  /** Passes values to an observer no more. */
  public synchronized void ignore(LongConsumer observer) {
    observers.remove(observer);
    observed = !observers.isEmpty();
  }
}
