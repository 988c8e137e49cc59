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
 * Figures of several subjects, read from what each of them tells at one moment. Confined to one
 * thread.
 *
 * @param <S> what tells them
 */
public final class Figures<S> {
  private final List<Figure<S>> figures;
  private final Map<Subject, double[]> rows = new LinkedHashMap<>();

  /**
   * One figure.
   *
   * @param name without the ending of counters
   * @param help what it says
   * @param grows whether it is a counter
   * @param join what stands for several subjects together
   * @param value what is read
   */
  record Figure<S>(
      String name,
      String help,
      boolean grows,
      DoubleBinaryOperator join,
      ToDoubleFunction<S> value) {
    static <S> Figure<S> gauge(String name, String help, ToDoubleFunction<S> value) {
      return new Figure<>(name, help, false, Double::sum, value);
    }

    static <S> Figure<S> counter(String name, String help, ToDoubleFunction<S> value) {
      return new Figure<>(name, help, true, Double::sum, value);
    }

    Figure<S> joined(DoubleBinaryOperator other) {
      return new Figure<>(name, help, grows, other, value);
    }
  }

  Figures(List<Figure<S>> figures) {
    this.figures = figures;
  }

  /** Takes one in; what is there under the same name is joined with it. */
  void add(Subject shown, S told) {
    double[] row = rows.get(shown);
    boolean first = row == null;
    if (row == null) {
      row = new double[figures.size()];
      rows.put(shown, row);
    }
    for (int i = 0; i < row.length; i++) {
      Figure<S> figure = figures.get(i);
      double value = figure.value().applyAsDouble(told);
      row[i] = first ? value : figure.join().applyAsDouble(row[i], value);
    }
  }

  List<MetricSnapshot> collect() {
    List<MetricSnapshot> all = new ArrayList<>();
    for (int i = 0; i < figures.size(); i++) {
      all.add(figures.get(i).grows() ? counter(i) : gauge(i));
    }
    return all;
  }

  private MetricSnapshot counter(int i) {
    CounterSnapshot.Builder counter = CounterSnapshot.builder();
    counter.name(figures.get(i).name()).help(figures.get(i).help());
    rows.forEach(
        (shown, row) ->
            counter.dataPoint(
                CounterDataPointSnapshot.builder().labels(labels(shown)).value(row[i]).build()));
    return counter.build();
  }

  private MetricSnapshot gauge(int i) {
    GaugeSnapshot.Builder gauge = GaugeSnapshot.builder();
    gauge.name(figures.get(i).name()).help(figures.get(i).help());
    rows.forEach(
        (shown, row) ->
            gauge.dataPoint(
                GaugeDataPointSnapshot.builder().labels(labels(shown)).value(row[i]).build()));
    return gauge.build();
  }

  private static Labels labels(Subject shown) {
    return shown.subscriber().isEmpty()
        ? Labels.of("queue", shown.queue())
        : Labels.of("queue", shown.queue(), "subscriber", shown.subscriber());
  }
}
