package com.wookler.river.rest.server.http;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;

/** Counts requests by method, route and status. Thread-safe. */
final class RequestCounter {
  private static final String NONE = "(none)";

  private final Counter requests =
      Counter.builder()
          .name("river_http_requests")
          .help(
              "Completed requests, by method and route of the contract, (none) if there is no such"
                  + " route; and by status, (none) if the caller had disconnected")
          .labelNames("method", "route", "status")
          .withoutExemplars()
          .build();

  /** Counts a request that has ended. */
  void count(HttpExchange exchange) {
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
