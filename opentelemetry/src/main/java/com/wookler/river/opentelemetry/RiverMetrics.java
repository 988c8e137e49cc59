package com.wookler.river.opentelemetry;

import com.wookler.river.common.Monitor;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.MeterProvider;
import org.jspecify.annotations.Nullable;

/** Metrics that are reported until this is closed. Made by {@link RiverTelemetry#metrics}. */
public final class RiverMetrics implements AutoCloseable {
  private final Monitor monitor;
  private final @Nullable MetricListener listener; // null: nothing reads metrics

  private RiverMetrics(Monitor monitor, @Nullable MetricListener listener) {
    this.monitor = monitor;
    this.listener = listener;
  }

  static RiverMetrics start(Monitor monitor, MeterProvider meters, String scope) {
    Meter meter = meters.get(scope);
    if (meter == MeterProvider.noop().get(scope)) { // also that of an SDK that reads no metrics
      return new RiverMetrics(monitor, null);
    }
    MetricListener listener = new MetricListener(meter);
    monitor.addListener(listener);
    return new RiverMetrics(monitor, listener);
  }

  /**
   * Reports no more, and stops measuring. Idempotent. Close it before the monitor's environment.
   */
  @Override
  public void close() {
    if (listener != null) {
      monitor.removeListener(listener);
      listener.close();
    }
  }
}
