package com.wookler.river.rest.server.http;

import com.wookler.river.core.QueueState;
import com.wookler.river.rest.server.hosting.QueueResolver;
import com.wookler.river.rest.server.hosting.Right;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * The routes for health checks, which reveal no data of the server, and for reading its file again.
 */
final class ServiceRoutes {
  private final QueueResolver queues;
  private final BooleanSupplier stopping;

  ServiceRoutes(QueueResolver queues, BooleanSupplier stopping) {
    this.queues = queues;
    this.stopping = stopping;
  }

  List<Endpoint> endpoints() {
    return List.of(
        new Endpoint(HttpMethod.POST, "/v1/reload", Right.ADMIN, Set.of(), this::reload),
        new Endpoint(HttpMethod.GET, "/health/live", Right.NONE, Set.of(), this::live),
        new Endpoint(HttpMethod.GET, "/health/ready", Right.NONE, Set.of(), this::ready));
  }

  record HealthJson(String status) {}

  private Future<ApiResponse> live(ApiRequest call) {
    return Future.succeededFuture(ApiResponse.ok(ApiResponse.buffer(new HealthJson("up"))));
  }

  private Future<ApiResponse> ready(ApiRequest call) {
    boolean ready =
        !stopping.getAsBoolean()
            && queues.catalog().all().stream()
                .allMatch(queue -> queue.queue().state() == QueueState.RUNNING);
    String status = !ready ? "down" : isBackedUp() ? "up" : "degraded";
    return Future.succeededFuture(
        ApiResponse.json(ready ? 200 : 503, ApiResponse.buffer(new HealthJson(status))));
  }

  private Future<ApiResponse> reload(ApiRequest call) {
    call.ensureAdminOfAll();
    return call.blocking(() -> ApiResponse.ok(ApiResponse.buffer(queues.catalog().reload())));
  }

  private boolean isBackedUp() {
    return queues.catalog().all().stream()
        .allMatch(queue -> queue.queue().stats().backupFailures() == 0);
  }
}
