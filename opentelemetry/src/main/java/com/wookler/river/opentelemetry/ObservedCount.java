package com.wookler.river.opentelemetry;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.counters.CounterSeries;
import io.opentelemetry.api.common.Attributes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ObjLongConsumer;

/**
 * Counts, whose sums never fall, as those of a monotonic counter may not. A subscriber counts from
 * 0 when it is opened again, and the total of a series falls when one of two owners of the same
 * name is closed: what was reported of them is kept.
 */
final class ObservedCount implements ObservedSeries {
  private final String operation;
  private final String type;

  /** Held while counters are read, so that an earlier total is not taken for a later one. */
  private final Object reading = new Object();

  private final Object lock = new Object();

  @GuardedBy("lock")
  private final Map<CounterSeries, Attributes> all = new HashMap<>();

  @GuardedBy("lock")
  private final Map<CounterSeries, Long> totals = new HashMap<>(); // as they were last read

  @GuardedBy("lock")
  private final Map<Attributes, Long> kept = new HashMap<>(); // of counters that were removed

  /**
   * Creates one without counters.
   *
   * @param operation the name of what is counted
   * @param type the conventions' type of it
   */
  ObservedCount(String operation, String type) {
    this.operation = operation;
    this.type = type;
  }

  @Override
  public void add(CounterSeries series) {
    Attributes attributes = MessagingConventions.ofOperation(operation, type, series.tags());
    synchronized (lock) {
      all.put(series, attributes);
    }
    if (series.hasEnded()) { // meanwhile
      remove(series);
    }
  }

  @Override
  public void remove(CounterSeries series) {
    long total = series.total(); // what the series itself has kept: it has no counters
    synchronized (lock) {
      Attributes attributes = all.remove(series);
      Long last = totals.remove(series);
      if (attributes != null) {
        keep(attributes, Math.max(total, last == null ? 0 : last));
      }
    }
  }

  @GuardedBy("lock")
  private void keep(Attributes attributes, long count) {
    if (count > 0) {
      kept.merge(attributes, count, Long::sum);
    }
  }

  @Override
  public void read(ObjLongConsumer<Attributes> to) {
    Map<Attributes, Long> sums;
    synchronized (reading) {
      for (CounterSeries series : series()) {
        take(series, series.total());
      }
      sums = sums();
    }
    sums.forEach(to::accept);
  }

  private List<CounterSeries> series() {
    synchronized (lock) {
      return List.copyOf(all.keySet());
    }
  }

  private void take(CounterSeries series, long total) {
    synchronized (lock) {
      Attributes attributes = all.get(series);
      if (attributes != null) { // else it was removed meanwhile
        Long last = totals.put(series, total);
        keep(attributes, last == null ? 0 : last - total); // what one of its counters had
      }
    }
  }

  private Map<Attributes, Long> sums() {
    synchronized (lock) {
      Map<Attributes, Long> sums = new HashMap<>(kept);
      all.forEach(
          (series, attributes) ->
              sums.merge(attributes, totals.getOrDefault(series, 0L), Long::sum));
      return sums;
    }
  }
}
