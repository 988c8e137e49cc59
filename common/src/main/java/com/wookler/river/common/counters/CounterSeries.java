package com.wookler.river.common.counters;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * All counters of one name and the same labels, reported as one. The totals of removed counters are
 * kept, so that the sums never fall; a series with labels ends with its last counter. Thread-safe;
 * counters are read without a lock, because derived ones may take locks.
 */
public final class CounterSeries {
  private final String namespace;
  private final String name;
  private final Class<? extends AbstractMeasure> type;
  private final AbstractCounter.Mode mode;
  private final Map<String, String> labels;
  private final String meter;
  private final Map<String, String> tags;
  private final Instant created;
  private final Object lock = new Object();

  private volatile boolean ended;

  @GuardedBy("lock")
  private final List<AbstractCounter> counters = new ArrayList<>();

  @GuardedBy("lock")
  private Totals removed = Totals.ZERO;

  @GuardedBy("lock")
  private Totals reported = Totals.ZERO;

  @GuardedBy("lock")
  private Instant reportedAt;

  @GuardedBy("lock")
  private Totals periodBase = Totals.ZERO;

  CounterSeries(AbstractCounter first) {
    this.namespace = first.namespace();
    this.name = first.name();
    this.type = first.type();
    this.mode = first.mode();
    this.labels = first.labels();
    this.meter = first.meter();
    this.tags = first.tags();
    this.created = first.created();
    this.reportedAt = created;
  }

  /** Returns the first part of the name. */
  public String namespace() {
    return namespace;
  }

  /** Returns the second part of the name. */
  public String name() {
    return name;
  }

  /** Returns the labels that distinguish the series from others of its name. */
  public Map<String, String> labels() {
    return labels;
  }

  /** Returns the name of its meter. */
  public String meter() {
    if (!meter.isEmpty()) {
      return meter;
    }
    return namespace.isEmpty() ? name : namespace + "." + name;
  }

  /** Returns the tags of its meter. */
  public Map<String, String> tags() {
    return tags;
  }

  /**
   * Returns whether the series has ended with its last counter, so that it is not reported any
   * more.
   */
  public boolean hasEnded() {
    return ended;
  }

  /** Returns the kind of the counters: {@link Count}, {@link Average} or {@link Gauge}. */
  public Class<? extends AbstractMeasure> type() {
    return type;
  }

  /** Returns when the series is reported. */
  public AbstractCounter.Mode mode() {
    return mode;
  }

  /**
   * Returns the sum of all additions, in nanoseconds for an average, or the current number of a
   * gauge.
   */
  public long total() {
    return totals().value();
  }

  /** Returns the largest current number of the counters, for gauges that are not added up. */
  public long largest() {
    List<AbstractCounter> all;
    synchronized (lock) {
      all = List.copyOf(counters);
    }
    return all.stream().mapToLong(AbstractCounter::total).max().orElse(0);
  }

  /** Returns the number of all samples added to an average; 0 for a count. */
  public long count() {
    return totals().count();
  }

  void add(AbstractCounter counter) {
    synchronized (lock) {
      counters.add(counter);
    }
  }

  /** Removes a counter, and returns whether the series has ended with it. */
  boolean remove(AbstractCounter counter) {
    synchronized (lock) {
      boolean kept = labels.isEmpty() && !(counter instanceof DerivedCounter);
      if (counters.remove(counter) && kept) {
        removed = removed.plus(counter.totals());
      }
      ended = !labels.isEmpty() && counters.isEmpty();
      return ended;
    }
  }

  /** Ends the series if it has no counter, and returns whether it has ended. */
  boolean end() {
    synchronized (lock) {
      ended |= counters.isEmpty();
      return ended;
    }
  }

  /**
   * Returns the current values for a report; the caller calls {@link #reported} after the report.
   */
  Sample sample(Instant periodStart) {
    Totals now = totals();
    synchronized (lock) {
      boolean gauge = type == Gauge.class;
      return new Sample(
          this,
          now,
          new CounterReport(
              namespace,
              name,
              labels,
              AbstractMeasure.of(type, reportedAt, gauge ? now : now.minus(reported)),
              AbstractMeasure.of(type, periodStart, gauge ? now : now.minus(periodBase)),
              AbstractMeasure.of(type, created, now)));
    }
  }

  /** Records the totals that were reported, from which the next delta starts. */
  void reported(Totals totals, Instant at) {
    synchronized (lock) {
      reported = totals;
      reportedAt = at;
    }
  }

  void startPeriod() {
    Totals now = totals();
    synchronized (lock) {
      periodBase = now;
    }
  }

  private Totals totals() {
    List<AbstractCounter> all;
    Totals sum;
    synchronized (lock) {
      all = List.copyOf(counters);
      sum = removed;
    }
    for (AbstractCounter counter : all) {
      sum = sum.plus(counter.totals());
    }
    return sum;
  }

  /** A report and the totals that it was created from. */
  record Sample(CounterSeries series, Totals totals, CounterReport report) {}
}
