package com.wookler.river.rest.server.http;

import com.wookler.river.core.QueueState;
import com.wookler.river.rest.server.hosting.QueueResolver;
import com.wookler.river.rest.server.hosting.Right;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** Whether the server works. Names nothing that the server has. */
final class ServiceRoutes {
  private final QueueResolver queues;
  private final BooleanSupplier stopping;

  ServiceRoutes(QueueResolver queues, BooleanSupplier stopping) {
    this.queues = queues;
    this.stopping = stopping;
  }

  List<Endpoint> endpoints() {
    return List.of(
        new Endpoint(HttpMethod.GET, "/health/live", Right.NONE, Set.of(), this::live),
        new Endpoint(HttpMethod.GET, "/health/ready", Right.NONE, Set.of(), this::ready));
  }

  record HealthJson(String status) {}

  private Future<Answer> live(Call call) {
    return Future.succeededFuture(Answer.ok(Answer.buffer(new HealthJson("up"))));
  }

  private Future<Answer> ready(Call call) {
    boolean ready =
        !stopping.getAsBoolean()
            && queues.catalog().all().stream()
                .allMatch(queue -> queue.queue().state() == QueueState.RUNNING);
    String status = !ready ? "down" : isBackedUp() ? "up" : "degraded";
    return Future.succeededFuture(
        Answer.json(ready ? 200 : 503, Answer.buffer(new HealthJson(status))));
  }

  private boolean isBackedUp() {
    return queues.catalog().all().stream()
        .allMatch(queue -> queue.queue().stats().backupFailures() == 0);
  }
}
