package com.wookler.river.common.counters;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * All counters of one name, and of the same labels, seen as one. Counters that are removed leave
 * their totals behind, so the sums never fall; a series with labels ends with its last counter.
 * Thread-safe; counters are read without a lock, so that they may look where locks are.
 */
public final class CounterSeries {
  private final String namespace;
  private final String name;
  private final Class<? extends AbstractMeasure> type;
  private final AbstractCounter.Mode mode;
  private final Map<String, String> labels;
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

  /** What tells it from others of its name. */
  public Map<String, String> labels() {
    return labels;
  }

  /** Whether it is reported no more: what it counted has gone with its last counter. */
  public boolean hasEnded() {
    return ended;
  }

  /** {@link Count}, {@link Average} or {@link Gauge}. */
  public Class<? extends AbstractMeasure> type() {
    return type;
  }

  /** When the series is reported. */
  public AbstractCounter.Mode mode() {
    return mode;
  }

  /** The sum of everything ever added, in nanoseconds for an average; what there is, of a gauge. */
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

  /** Returns whether it has ended by that. */
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

  /** Ends it if it has no counter. Returns whether it has ended by that. */
  boolean end() {
    synchronized (lock) {
      ended |= counters.isEmpty();
      return ended;
    }
  }

  /** What a report made now says; {@link #reported} then has to be told. */
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

  /** The next report's delta starts from these totals. */
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

  /** A report and the totals it was made from. */
  record Sample(CounterSeries series, Totals totals, CounterReport report) {}
}
