package com.wookler.river.opentelemetry;

import com.wookler.river.common.counters.CounterSeries;
import io.opentelemetry.api.common.Attributes;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.ObjLongConsumer;

/** The counters of one kind, which become one metric that is read when the SDK collects. */
final class ObservedSeries {
  private final Function<Map<String, String>, Attributes> attributes;
  private final Map<CounterSeries, Attributes> all = new ConcurrentHashMap<>();

  /**
   * Creates one without counters.
   *
   * @param attributes makes those of the metric out of the labels of a counter
   */
  ObservedSeries(Function<Map<String, String>, Attributes> attributes) {
    this.attributes = attributes;
  }

  void add(CounterSeries series) {
    all.put(series, attributes.apply(series.tags()));
    if (series.hasEnded()) { // meanwhile
      all.remove(series);
    }
  }

  void remove(CounterSeries series) {
    all.remove(series);
  }

  /** Passes on what there is now: the sum of those that have the same attributes. */
  void read(ObjLongConsumer<Attributes> to) {
    Map<Attributes, Long> sums = new HashMap<>();
    all.forEach((series, each) -> sums.merge(each, series.total(), Long::sum));
    sums.forEach(to::accept);
  }
}
