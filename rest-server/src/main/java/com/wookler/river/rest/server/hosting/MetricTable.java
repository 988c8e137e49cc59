package com.wookler.river.rest.server.hosting;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleBinaryOperator;
import java.util.function.ToDoubleFunction;

/**
 * Collects the values of metrics for several queues or subscribers. Confined to one thread.
 *
 * @param <S> type of the source from which values are read
 */
final class MetricTable<S> {
  private final List<MetricDefinition<S>> metrics;
  private final Map<SeriesKey, Row> rows = new LinkedHashMap<>();

  /**
   * Defines a metric.
   *
   * @param name name, without the suffix of counters
   * @param help description
   * @param counter whether it is a counter or a gauge
   * @param merge merges the values of several sources with the same key
   * @param value reads the value from a source
   */
  record MetricDefinition<S>(
      String name,
      String help,
      boolean counter,
      DoubleBinaryOperator merge,
      ToDoubleFunction<S> value) {
    static <S> MetricDefinition<S> gauge(String name, String help, ToDoubleFunction<S> value) {
      return new MetricDefinition<>(name, help, false, Double::sum, value);
    }

    static <S> MetricDefinition<S> counter(String name, String help, ToDoubleFunction<S> value) {
      return new MetricDefinition<>(name, help, true, Double::sum, value);
    }

    MetricDefinition<S> mergedBy(DoubleBinaryOperator other) {
      return new MetricDefinition<>(name, help, counter, other, value);
    }
  }

  /** The values of one series; its labels are shared by all metrics. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Row(Labels labels, double[] values) {}

  MetricTable(List<MetricDefinition<S>> metrics) {
    this.metrics = metrics;
  }

  /** Adds the values of a source. They are merged with those of the same key. */
  void add(SeriesKey key, S source) {
    Row known = rows.get(key);
    boolean first = known == null;
    if (known == null) {
      known = new Row(labels(key), new double[metrics.size()]);
      rows.put(key, known);
    }
    double[] row = known.values();
    for (int i = 0; i < row.length; i++) {
      MetricDefinition<S> metric = metrics.get(i);
      double value = metric.value().applyAsDouble(source);
      row[i] = first ? value : metric.merge().applyAsDouble(row[i], value);
    }
  }

  List<MetricSnapshot> collect() {
    List<MetricSnapshot> all = new ArrayList<>();
    for (int i = 0; i < metrics.size(); i++) {
      all.add(metrics.get(i).counter() ? counter(i) : gauge(i));
    }
    return all;
  }

  private MetricSnapshot counter(int i) {
    CounterSnapshot.Builder counter = CounterSnapshot.builder();
    counter.name(metrics.get(i).name()).help(metrics.get(i).help());
    for (Row row : rows.values()) {
      counter.dataPoint(
          CounterDataPointSnapshot.builder().labels(row.labels()).value(row.values()[i]).build());
    }
    return counter.build();
  }

  private MetricSnapshot gauge(int i) {
    GaugeSnapshot.Builder gauge = GaugeSnapshot.builder();
    gauge.name(metrics.get(i).name()).help(metrics.get(i).help());
    for (Row row : rows.values()) {
      gauge.dataPoint(
          GaugeDataPointSnapshot.builder().labels(row.labels()).value(row.values()[i]).build());
    }
    return gauge.build();
  }

  private static Labels labels(SeriesKey key) {
    return key.subscriber().isEmpty()
        ? Labels.of("queue", key.queue())
        : Labels.of("queue", key.queue(), "subscriber", key.subscriber());
  }
}
