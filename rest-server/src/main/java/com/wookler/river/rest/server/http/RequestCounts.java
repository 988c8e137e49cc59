package com.wookler.river.rest.server.http;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;

/** How many requests were answered how. Thread-safe. */
final class RequestCounts {
  private static final String NONE = "(none)";

  private final Counter requests =
      Counter.builder()
          .name("river_http_requests")
          .help(
              "Requests that are over, by method and route of the contract, (none) if they asked"
                  + " for neither; and by status, (none) if the caller had gone")
          .labelNames("method", "route", "status")
          .withoutExemplars()
          .build();

  /** This one is over. */
  void count(Exchange exchange) {
    Endpoint endpoint = exchange.endpoint();
    requests
        .labelValues(
            endpoint == null ? NONE : endpoint.method().name(),
            endpoint == null ? NONE : endpoint.path(),
            exchange.response().headWritten()
                ? String.valueOf(exchange.response().getStatusCode())
                : NONE)
        .inc();
  }

  MetricSnapshot collect() {
    return requests.collect();
  }
}
