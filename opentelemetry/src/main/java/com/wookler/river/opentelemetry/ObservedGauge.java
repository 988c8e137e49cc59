package com.wookler.river.opentelemetry;

import com.wookler.river.common.counters.CounterSeries;
import io.opentelemetry.api.common.Attributes;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongBinaryOperator;
import java.util.function.ObjLongConsumer;
import java.util.function.ToLongFunction;

/** Gauges, of which only those that exist are reported. */
final class ObservedGauge implements ObservedSeries {
  private final ToLongFunction<CounterSeries> value;
  private final LongBinaryOperator together;
  private final Map<CounterSeries, Attributes> all = new ConcurrentHashMap<>();

  private ObservedGauge(ToLongFunction<CounterSeries> value, LongBinaryOperator together) {
    this.value = value;
    this.together = together;
  }

  /** Returns gauges that are added up. */
  static ObservedGauge sum() {
    return new ObservedGauge(CounterSeries::total, Long::sum);
  }

  /** Returns gauges of which the largest is reported. */
  static ObservedGauge largest() {
    return new ObservedGauge(CounterSeries::largest, Math::max);
  }

  @Override
  public void add(CounterSeries series) {
    all.put(series, MessagingConventions.ofOwner(series.tags()));
    if (series.hasEnded()) { // meanwhile
      all.remove(series);
    }
  }

  @Override
  public void remove(CounterSeries series) {
    all.remove(series);
  }

  @Override
  public void read(ObjLongConsumer<Attributes> to) {
    Map<Attributes, Long> values = new HashMap<>();
    all.forEach(
        (series, attributes) ->
            values.merge(attributes, value.applyAsLong(series), together::applyAsLong));
    values.forEach(to::accept);
  }
}
