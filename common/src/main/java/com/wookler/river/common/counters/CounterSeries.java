package com.wookler.river.common.counters;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * All counters of one name, seen as one. Counters that are removed leave their totals behind, so
 * the sums never fall. Thread-safe.
 */
public final class CounterSeries {
  private final String namespace;
  private final String name;
  private final Class<? extends AbstractMeasure> type;
  private final AbstractCounter.Mode mode;
  private final Instant created;
  private final Object lock = new Object();

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
    this.created = first.created();
    this.reportedAt = created;
  }

  /** The first part of the name. */
  public String namespace() {
    return namespace;
  }

  /** The second part of the name. */
  public String name() {
    return name;
  }

  /** {@link Count} or {@link Average}. */
  public Class<? extends AbstractMeasure> type() {
    return type;
  }

  /** When the series is reported. */
  public AbstractCounter.Mode mode() {
    return mode;
  }

  /** The sum of everything ever added, in nanoseconds for an average. */
  public long total() {
    return totals().value();
  }

  /** The number of all samples ever added to an average; 0 for a count. */
  public long count() {
    return totals().count();
  }

  void add(AbstractCounter counter) {
    synchronized (lock) {
      counters.add(counter);
    }
  }

  void remove(AbstractCounter counter) {
    synchronized (lock) {
      for (int i = 0; i < counters.size(); i++) {
        if (counters.get(i) == counter) {
          counters.remove(i);
          removed = removed.plus(counter.totals());
          return;
        }
      }
    }
  }

  /** What a report made now says; {@link #reported} then has to be told. */
  Sample sample(Instant periodStart) {
    synchronized (lock) {
      Totals now = totals();
      return new Sample(
          this,
          now,
          new CounterReport(
              namespace,
              name,
              AbstractMeasure.of(type, reportedAt, now.minus(reported)),
              AbstractMeasure.of(type, periodStart, now.minus(periodBase)),
              AbstractMeasure.of(type, created, now)));
    }
  }

  /** The next report's delta starts from these totals. */
  void reported(Totals totals, Instant at) {
    synchronized (lock) {
      reported = totals;
      reportedAt = at;
    }
  }

  void startPeriod() {
    synchronized (lock) {
      periodBase = totals();
    }
  }

  private Totals totals() {
    synchronized (lock) {
      Totals sum = removed;
      for (AbstractCounter counter : counters) {
        sum = sum.plus(counter.totals());
      }
      return sum;
    }
  }

  /** A report and the totals it was made from. */
  record Sample(CounterSeries series, Totals totals, CounterReport report) {}
}
