package com.wookler.river.rest.server.http;

import com.wookler.river.rest.server.hosting.Access;
import com.wookler.river.rest.server.hosting.Load;
import com.wookler.river.rest.server.hosting.QueueFigures;
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

/** All that is told to Prometheus: the queues, the server, and its JVM. Used by one at a time. */
final class Metrics implements AutoCloseable {
  private final QueueFigures queues;
  private final Load load;
  private final RequestCounts counts;
  private final Streams streams;
  private final PrometheusMeterRegistry jvm = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final JvmGcMetrics collections = new JvmGcMetrics();

  Metrics(QueueFigures queues, Load load, RequestCounts counts, Streams streams) {
    this.queues = queues;
    this.load = load;
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

  /** What the caller may see; may block. */
  MetricSnapshots collect(Access access) {
    List<MetricSnapshot> all = new ArrayList<>(queues.collect(access));
    all.add(counts.collect());
    all.add(
        CounterSnapshot.builder()
            .name("river_http_connections_refused")
            .help("Connections that were closed because there were enough")
            .dataPoint(CounterDataPointSnapshot.builder().value((double) load.refused()).build())
            .build());
    all.add(gauge("river_http_connections", "Connections that are open", load.connections()));
    all.add(
        gauge(
            "river_http_requests_under_way",
            "Requests under way, without those that wait for messages",
            load.requests()));
    all.add(
        gauge(
            "river_http_buffered_bytes",
            "Bytes of bodies and answers in memory",
            load.budget().used()));
    all.add(
        CounterSnapshot.builder()
            .name("river_http_evictions")
            .help("Bodies and answers that were given up to make room for others")
            .dataPoint(
                CounterDataPointSnapshot.builder()
                    .value((double) load.budget().evictions())
                    .build())
            .build());
    int open = streams.count();
    all.add(gauge("river_http_polls", "Long polls that wait", Math.max(0, load.waiting() - open)));
    all.add(gauge("river_http_streams", "Streams that are open", open));
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
