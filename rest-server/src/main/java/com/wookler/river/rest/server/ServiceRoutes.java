package com.wookler.river.rest.server;

import com.wookler.river.core.QueueState;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** Whether the server works, and its contract. Names nothing that the server has. */
final class ServiceRoutes {
  private static final String CONTRACT = "/openapi.yaml";

  private final Offers offers;
  private final BooleanSupplier stopping;
  private final Buffer contract;

  ServiceRoutes(Offers offers, BooleanSupplier stopping) {
    this.offers = offers;
    this.stopping = stopping;
    this.contract = contract();
  }

  private static Buffer contract() {
    try (InputStream in =
        Objects.requireNonNull(ServiceRoutes.class.getResourceAsStream(CONTRACT), CONTRACT)) {
      return Buffer.buffer(in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  List<Endpoint> endpoints() {
    return List.of(
        new Endpoint(HttpMethod.GET, "/health/live", Right.NONE, Set.of(), this::live),
        new Endpoint(HttpMethod.GET, "/health/ready", Right.NONE, Set.of(), this::ready),
        new Endpoint(HttpMethod.GET, CONTRACT, Right.NONE, Set.of(), this::openapi));
  }

  record HealthJson(String status) {}

  private Future<Answer> live(Call call) {
    return Future.succeededFuture(Answer.ok(Json.write(new HealthJson("up"))));
  }

  private Future<Answer> ready(Call call) {
    boolean ready =
        !stopping.getAsBoolean()
            && offers.catalog().all().stream()
                .allMatch(queue -> queue.queue().state() == QueueState.RUNNING);
    return Future.succeededFuture(
        Answer.json(ready ? 200 : 503, Json.write(new HealthJson(ready ? "up" : "down"))));
  }

  private Future<Answer> openapi(Call call) {
    return Future.succeededFuture(new Answer(200, "application/yaml", contract));
  }
}
