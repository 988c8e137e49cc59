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

/** The route for metrics, in Prometheus' text format or as OpenMetrics. */
final class MetricsRoute {
  private static final ExpositionFormatWriter TEXT = PrometheusTextFormatWriter.create();
  private static final ExpositionFormatWriter OPEN = OpenMetricsTextFormatWriter.create();
  private static final int FIRST_BYTES = 32 << 10;

  private final ServerMetrics metrics;
  private final WorkerExecutor thread;

  /**
   * Creates the route.
   *
   * @param thread the only thread on which metrics are read, however many requests there are
   */
  MetricsRoute(ServerMetrics metrics, WorkerExecutor thread) {
    this.metrics = metrics;
    this.thread = thread;
  }

  List<Endpoint> endpoints() {
    return List.of(
        new Endpoint(HttpMethod.GET, "/metrics", Right.METRICS, Set.of(), this::metrics));
  }

  private Future<ApiResponse> metrics(ApiRequest call) {
    String type =
        ContentNegotiation.ofOffered(call, List.of("text/plain", "application/openmetrics-text"));
    ExpositionFormatWriter writer = type.equals("application/openmetrics-text") ? OPEN : TEXT;
    return call.blocking(thread, () -> written(metrics.collect(call.access()), writer));
  }

  private static ApiResponse written(MetricSnapshots all, ExpositionFormatWriter writer) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(FIRST_BYTES);
    try {
      writer.write(out, all);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // writes to memory
    }
    return new ApiResponse(200, writer.getContentType(), Buffer.buffer(out.toByteArray()));
  }
}
