package com.wookler.river.rest.server.http;

import com.wookler.river.rest.server.hosting.Right;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.OpenMetricsTextFormatWriter;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.vertx.core.Future;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Set;

/** Figures for Prometheus, in its text format or as OpenMetrics. */
final class MetricsRoute {
  private static final ExpositionFormatWriter TEXT = PrometheusTextFormatWriter.create();
  private static final ExpositionFormatWriter OPEN = OpenMetricsTextFormatWriter.create();
  private static final int FIRST_BYTES = 32 << 10;

  private final Metrics metrics;
  private final WorkerExecutor thread;

  /**
   * @param thread the only one on which figures are read, however many ask
   */
  MetricsRoute(Metrics metrics, WorkerExecutor thread) {
    this.metrics = metrics;
    this.thread = thread;
  }

  List<Endpoint> endpoints() {
    return List.of(
        new Endpoint(HttpMethod.GET, "/metrics", Right.METRICS, Set.of(), this::metrics));
  }

  private Future<Answer> metrics(Call call) {
    String type =
        Accept.choose(
            call.request().headers().getAll("Accept"),
            List.of("text/plain", "application/openmetrics-text"));
    ExpositionFormatWriter writer = "application/openmetrics-text".equals(type) ? OPEN : TEXT;
    return call.blocking(thread, () -> written(metrics.collect(call.access()), writer));
  }

  private static Answer written(MetricSnapshots all, ExpositionFormatWriter writer) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(FIRST_BYTES);
    try {
      writer.write(out, all);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // writes to memory
    }
    return new Answer(200, writer.getContentType(), Buffer.buffer(out.toByteArray()));
  }
}
