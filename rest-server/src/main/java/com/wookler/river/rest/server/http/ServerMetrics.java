package com.wookler.river.rest.server.http;

import com.wookler.river.rest.server.hosting.Access;
import com.wookler.river.rest.server.hosting.AdmissionControl;
import com.wookler.river.rest.server.hosting.QueueMetrics;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;

/**
 * Collects all metrics for Prometheus: of the queues, the server and its JVM. Used by one thread at
 * a time.
 */
final class ServerMetrics implements AutoCloseable {
  private final QueueMetrics queues;
  private final AdmissionControl admission;
  private final RequestCounter counts;
  private final IntSupplier streams;
  private final PrometheusMeterRegistry jvm = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final JvmGcMetrics collections = new JvmGcMetrics();

  /**
   * Creates the metrics.
   *
   * @param streams returns how many streams are open, of messages and of figures
   */
  ServerMetrics(
      QueueMetrics queues, AdmissionControl admission, RequestCounter counts, IntSupplier streams) {
    this.queues = queues;
    this.admission = admission;
    this.counts = counts;
    this.streams = streams;
    List<MeterBinder> binders =
        List.of(
            collections,
            new JvmMemoryMetrics(),
            new JvmThreadMetrics(),
            new ClassLoaderMetrics(),
            new ProcessorMetrics(),
            new FileDescriptorMetrics(),
            new UptimeMetrics());
    binders.forEach(binder -> binder.bindTo(jvm));
  }

  /** Returns the metrics that the caller may read. May block. */
  MetricSnapshots collect(Access access) {
    List<MetricSnapshot> all = new ArrayList<>(queues.collect(access));
    all.add(counts.collect());
    all.add(
        CounterSnapshot.builder()
            .name("river_http_connections_refused")
            .help("Connections that were closed because a limit was reached")
            .dataPoint(
                CounterDataPointSnapshot.builder()
                    .value((double) admission.rejectedConnections())
                    .build())
            .build());
    all.add(gauge("river_http_connections", "Open connections", admission.connections()));
    all.add(
        gauge(
            "river_http_requests_under_way",
            "Requests in progress, without those that wait for messages",
            admission.requests()));
    all.add(
        gauge(
            "river_http_buffered_bytes",
            "Bytes of bodies and responses in memory",
            admission.budget().used()));
    all.add(
        CounterSnapshot.builder()
            .name("river_http_evictions")
            .help("Bodies and responses that were evicted to free memory for others")
            .dataPoint(
                CounterDataPointSnapshot.builder()
                    .value((double) admission.budget().evictions())
                    .build())
            .build());
    int open = streams.getAsInt();
    all.add(
        gauge("river_http_polls", "Long polls that wait", Math.max(0, admission.waiting() - open)));
    all.add(gauge("river_http_streams", "Open streams, of messages and of figures", open));
    jvm.getPrometheusRegistry().scrape().forEach(all::add);
    return new MetricSnapshots(all);
  }

  private static MetricSnapshot gauge(String name, String help, long value) {
    return GaugeSnapshot.builder()
        .name(name)
        .help(help)
        .dataPoint(GaugeDataPointSnapshot.builder().value((double) value).build())
        .build();
  }

  @Override
  public void close() {
    collections.close();
    jvm.close();
  }
}
