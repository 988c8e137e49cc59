package com.wookler.river.common.counters;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The counters of a monitor, as one series a name. Thread-safe; no lock is held while callers' code
 * runs.
 */
public final class CounterRegistry {
  private final boolean debug;
  private final Object lock = new Object();

  @GuardedBy("lock")
  private final Map<Key, CounterSeries> series = new LinkedHashMap<>();

  @GuardedBy("lock")
  private final Map<AbstractCounter, CounterSeries> members = new HashMap<>();

  @GuardedBy("lock")
  private final List<CounterListener> listeners = new ArrayList<>();

  @GuardedBy("lock")
  private Instant periodStart;

  /**
   * An empty registry.
   *
   * @param debug whether counters of {@link AbstractCounter.Mode#DEBUG} are reported
   * @param periodStart the start of the present window
   */
  public CounterRegistry(boolean debug, Instant periodStart) {
    this.debug = debug;
    this.periodStart = periodStart;
  }

  /** Takes a counter into the series of its name; again is without effect. */
  public void add(AbstractCounter counter) {
    List<CounterListener> told;
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
      told = known == null && visible(created) ? List.copyOf(listeners) : List.of();
    }
    told.forEach(listener -> listener.added(created));
  }

  private static Key key(AbstractCounter counter) {
    return new Key(
        counter.namespace(), counter.name(), counter.labels(), counter.type(), counter.mode());
  }

  /**
   * Takes a counter out; its total stays in its series, unless that has labels and ends with it.
   * What is added to it afterwards counts nowhere.
   */
  public void remove(AbstractCounter counter) {
    List<CounterListener> told;
    CounterSeries of;
    synchronized (lock) {
      of = members.remove(counter);
      if (of == null || !of.remove(counter)) {
        return;
      }
      series.remove(key(counter));
      told = visible(of) ? List.copyOf(listeners) : List.of();
    }
    told.forEach(listener -> listener.removed(of));
  }

  /** Ends the series of a namespace that have no counter any more. */
  public void forget(String namespace) {
    List<CounterSeries> ended = new ArrayList<>();
    List<CounterListener> told;
    synchronized (lock) {
      for (CounterSeries each : List.copyOf(series.values())) {
        if (each.namespace().equals(namespace) && each.end()) {
          series.values().remove(each);
          ended.add(each);
        }
      }
      ended.removeIf(each -> !visible(each));
      told = List.copyOf(listeners);
    }
    ended.forEach(each -> told.forEach(listener -> listener.removed(each)));
  }

  /**
   * Tells {@code listener} of each series that is reported: of those there are at once, of others
   * as they appear, and of those with labels when they end.
   */
  public void addListener(CounterListener listener) {
    List<CounterSeries> present;
    synchronized (lock) {
      listeners.add(listener);
      present = visible();
    }
    present.forEach(listener::added);
  }

  /** No longer tells {@code listener}. */
  public void removeListener(CounterListener listener) {
    synchronized (lock) {
      listeners.remove(listener);
    }
  }

  /** What a report made now would say; deltas go on. */
  public List<CounterReport> peek() {
    return samples().stream().map(CounterSeries.Sample::report).toList();
  }

  /**
   * Hands a report to {@code target}; the deltas start anew only once that has returned, so a
   * report that failed is not lost.
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
    all.forEach(CounterSeries::startPeriod); // without the lock: counters may look elsewhere
  }

  private List<CounterSeries.Sample> samples() {
    Instant start;
    List<CounterSeries> all;
    synchronized (lock) {
      start = periodStart;
      all = visible();
    }
    return all.stream().map(each -> each.sample(start)).toList(); // without the lock, likewise
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
