package com.wookler.river.rest.server.http;

import com.wookler.river.core.QueueSnapshot;
import com.wookler.river.rest.server.hosting.HostedQueue;
import com.wookler.river.rest.server.hosting.Json;
import com.wookler.river.rest.server.hosting.QueueResolver;
import com.wookler.river.rest.server.hosting.Right;
import io.vertx.core.Future;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The route for snapshots of running queues. */
final class SnapshotRoutes {
  private static final int MAX_WAITING = 4;

  private final QueueResolver queues;
  private final WorkerExecutor thread;
  private final WaitingLine line = new WaitingLine("snapshots", MAX_WAITING);

  /**
   * Creates the routes.
   *
   * @param thread on which snapshots are made, which may take long, one after another
   */
  SnapshotRoutes(QueueResolver queues, WorkerExecutor thread) {
    this.queues = queues;
    this.thread = thread;
  }

  List<Endpoint> endpoints() {
    return List.of(
        new Endpoint(
            HttpMethod.POST, "/v1/queues/{queue}/snapshots", Right.ADMIN, Set.of(), this::make));
  }

  record SnapshotRequestJson(@Nullable String name) {}

  /** A snapshot in the contract; it never says where on the server's disk it is. */
  record SnapshotJson(String name, long firstSequence, long nextSequence, long copiedBytes) {}

  private Future<ApiResponse> make(ApiRequest call) {
    String name = Json.required("name", call.body(SnapshotRequestJson.class).name());
    HostedQueue<?> queue = queues.queue(call.name("queue"));
    return call.blocking(thread, line.enter(call.exchange()::onEnd, () -> answer(queue, name)));
  }

  private ApiResponse answer(HostedQueue<?> queue, String name) {
    QueueSnapshot made = queues.catalog().snapshots().make(queue, name);
    return ApiResponse.json(
        201,
        ApiResponse.buffer(
            new SnapshotJson(name, made.firstSequence(), made.nextSequence(), made.copiedBytes())));
  }
}
