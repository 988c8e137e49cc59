package com.wookler.river.opentelemetry;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.MeterProvider;
import io.opentelemetry.api.trace.TracerProvider;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.data.HistogramPointData;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.data.PointData;
import io.opentelemetry.sdk.metrics.export.CollectionRegistration;
import io.opentelemetry.sdk.metrics.export.MetricReader;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Collects metrics when it is asked, and keeps none. */
final class Metrics implements MetricReader {
  private CollectionRegistration registration = CollectionRegistration.noop();
  private final SdkMeterProvider provider =
      SdkMeterProvider.builder().registerMetricReader(this).build();

  OpenTelemetry telemetry() {
    return telemetry(provider);
  }

  /** Returns telemetry without traces. */
  static OpenTelemetry telemetry(MeterProvider meters) {
    return new OpenTelemetry() {
      @Override
      public TracerProvider getTracerProvider() {
        return TracerProvider.noop();
      }

      @Override
      public MeterProvider getMeterProvider() {
        return meters;
      }

      @Override
      public ContextPropagators getPropagators() {
        return ContextPropagators.noop();
      }
    };
  }

  Set<String> names() {
    return registration.collectAllMetrics().stream()
        .map(MetricData::getName)
        .collect(Collectors.toSet());
  }

  Optional<MetricData> find(String name) {
    return registration.collectAllMetrics().stream()
        .filter(metric -> metric.getName().equals(name))
        .findFirst();
  }

  private List<? extends PointData> points(String name) {
    return find(name)
        .<List<? extends PointData>>map(metric -> List.copyOf(metric.getData().getPoints()))
        .orElse(List.of());
  }

  /** Returns the attributes of all points. */
  Set<Attributes> attributes(String name) {
    return points(name).stream().map(PointData::getAttributes).collect(Collectors.toSet());
  }

  /** Returns the value of the point that has these attributes; -1 if there is none. */
  double value(String name, Attributes attributes) {
    return find(name)
        .flatMap(metric -> point(metric, attributes))
        .map(Number::doubleValue)
        .orElse(-1.0);
  }

  private static Optional<Number> point(MetricData metric, Attributes attributes) {
    return switch (metric.getType()) {
      case LONG_SUM ->
          metric.getLongSumData().getPoints().stream()
              .filter(point -> point.getAttributes().equals(attributes))
              .<Number>map(point -> point.getValue())
              .findFirst();
      case LONG_GAUGE ->
          metric.getLongGaugeData().getPoints().stream()
              .filter(point -> point.getAttributes().equals(attributes))
              .<Number>map(point -> point.getValue())
              .findFirst();
      case DOUBLE_GAUGE ->
          metric.getDoubleGaugeData().getPoints().stream()
              .filter(point -> point.getAttributes().equals(attributes))
              .<Number>map(point -> point.getValue())
              .findFirst();
      default -> throw new AssertionError(metric);
    };
  }

  /** Returns the times that were recorded with these attributes. */
  Optional<HistogramPointData> times(String name, Attributes attributes) {
    return points(name).stream()
        .map(HistogramPointData.class::cast)
        .filter(point -> point.getAttributes().equals(attributes))
        .findFirst();
  }

  @Override
  public void register(CollectionRegistration with) {
    registration = with;
  }

  @Override
  public AggregationTemporality getAggregationTemporality(InstrumentType type) {
    return AggregationTemporality.CUMULATIVE;
  }

  @Override
  public CompletableResultCode forceFlush() {
    return CompletableResultCode.ofSuccess();
  }

  @Override
  public CompletableResultCode shutdown() {
    return CompletableResultCode.ofSuccess();
  }
}
