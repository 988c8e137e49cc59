package com.wookler.river.common.counters;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Holds the counters of a monitor, one series for each name. Thread-safe; no lock is held while
 * user code runs.
 */
public final class CounterRegistry {
  private final boolean debug;
  private final Object lock = new Object();

  @GuardedBy("lock")
  private final Map<Key, CounterSeries> series = new LinkedHashMap<>();

  @GuardedBy("lock")
  private final Map<AbstractCounter, CounterSeries> members = new HashMap<>();

  @GuardedBy("lock")
  private final Set<Distribution> distributions = new LinkedHashSet<>();

  @GuardedBy("lock")
  private final List<CounterListener> listeners = new ArrayList<>();

  @GuardedBy("lock")
  private Instant periodStart;

  /**
   * Creates an empty registry.
   *
   * @param debug whether counters of {@link AbstractCounter.Mode#DEBUG} are reported
   * @param periodStart the start of the current window
   */
  public CounterRegistry(boolean debug, Instant periodStart) {
    this.debug = debug;
    this.periodStart = periodStart;
  }

  /** Adds a counter to the series of its name. Does nothing if it was added already. */
  public void add(AbstractCounter counter) {
    List<CounterListener> notified;
    CounterSeries created;
    synchronized (lock) {
      if (members.containsKey(counter)) {
        return;
      }
      Key key = key(counter);
      CounterSeries known = series.get(key);
      created = known == null ? new CounterSeries(counter) : known;
      created.add(counter);
      members.put(counter, created);
      series.put(key, created);
      notified = known == null && visible(created) ? List.copyOf(listeners) : List.of();
    }
    notified.forEach(listener -> listener.added(created));
  }

  private static Key key(AbstractCounter counter) {
    return new Key(
        counter.namespace(), counter.name(), counter.labels(), counter.type(), counter.mode());
  }

  /**
   * Removes a counter. Its total stays in its series, unless that has labels and ends with it.
   * Later additions to it are not reported.
   */
  public void remove(AbstractCounter counter) {
    List<CounterListener> notified;
    CounterSeries of;
    synchronized (lock) {
      of = members.remove(counter);
      if (of == null || !of.remove(counter)) {
        return;
      }
      series.remove(key(counter));
      notified = visible(of) ? List.copyOf(listeners) : List.of();
    }
    notified.forEach(listener -> listener.removed(of));
  }

  /** Adds a distribution, for listeners to observe. */
  public void add(Distribution distribution) {
    List<CounterListener> notified;
    synchronized (lock) {
      notified = distributions.add(distribution) ? List.copyOf(listeners) : List.of();
    }
    notified.forEach(listener -> listener.added(distribution));
  }

  /** Removes a distribution. */
  public void remove(Distribution distribution) {
    List<CounterListener> notified;
    synchronized (lock) {
      notified = distributions.remove(distribution) ? List.copyOf(listeners) : List.of();
    }
    notified.forEach(listener -> listener.removed(distribution));
  }

  /** Ends the series of a namespace that have no counter left. */
  public void forget(String namespace) {
    List<CounterSeries> ended = new ArrayList<>();
    List<CounterListener> notified;
    synchronized (lock) {
      for (CounterSeries each : List.copyOf(series.values())) {
        if (each.namespace().equals(namespace) && each.end()) {
          series.values().remove(each);
          ended.add(each);
        }
      }
      ended.removeIf(each -> !visible(each));
      notified = List.copyOf(listeners);
    }
    ended.forEach(each -> notified.forEach(listener -> listener.removed(each)));
  }

  /**
   * Registers a listener, and notifies it of each series that is reported: of the existing ones at
   * once, of new ones when they are added, and of those with labels when they end.
   */
  public void addListener(CounterListener listener) {
    List<CounterSeries> present;
    List<Distribution> observable;
    synchronized (lock) {
      listeners.add(listener);
      present = visible();
      observable = List.copyOf(distributions);
    }
    present.forEach(listener::added);
    observable.forEach(listener::added);
  }

  /** Unregisters a listener. */
  public void removeListener(CounterListener listener) {
    synchronized (lock) {
      listeners.remove(listener);
    }
  }

  /** Returns the current values, without resetting the deltas. */
  public List<CounterReport> peek() {
    return samples().stream().map(CounterSeries.Sample::report).toList();
  }

  /**
   * Passes a report to {@code target}, and resets the deltas once it has returned, so that a report
   * that failed is not lost.
   */
  public void report(Instant now, Consumer<List<CounterReport>> target) {
    List<CounterSeries.Sample> samples = samples();
    target.accept(samples.stream().map(CounterSeries.Sample::report).toList());
    samples.forEach(sample -> sample.series().reported(sample.totals(), now));
  }

  /** Starts a new period for all series. */
  public void startPeriod(Instant start) {
    List<CounterSeries> all;
    synchronized (lock) {
      periodStart = start;
      all = List.copyOf(series.values());
    }
    all.forEach(CounterSeries::startPeriod); // without the lock: derived counters call other code
  }

  private List<CounterSeries.Sample> samples() {
    Instant start;
    List<CounterSeries> all;
    synchronized (lock) {
      start = periodStart;
      all = visible();
    }
    return all.stream()
        .map(each -> each.sample(start))
        .toList(); // without the lock: derived counters call other code
  }

  @GuardedBy("lock")
  private List<CounterSeries> visible() {
    return series.values().stream().filter(this::visible).toList();
  }

  private boolean visible(CounterSeries each) {
    return debug || each.mode() == AbstractCounter.Mode.PROD;
  }

  private record Key(
      String namespace,
      String name,
      Map<String, String> labels,
      Class<? extends AbstractMeasure> type,
      AbstractCounter.Mode mode) {}
}
