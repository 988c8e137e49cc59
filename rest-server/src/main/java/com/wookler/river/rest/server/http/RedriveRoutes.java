package com.wookler.river.rest.server.http;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.subscriber.FilterExpression;
import com.wookler.river.forward.Redrive;
import com.wookler.river.forward.RedriveStatus;
import com.wookler.river.forward.Redrives;
import com.wookler.river.rest.server.hosting.HostedQueue;
import com.wookler.river.rest.server.hosting.QueueResolver;
import com.wookler.river.rest.server.hosting.RequestException;
import com.wookler.river.rest.server.hosting.Right;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The routes for dead letters that are redriven in the background. */
final class RedriveRoutes {
  private static final String ALL = "/v1/queues/{queue}/redrives";
  private static final String START = "/v1/queues/{queue}/subscribers/{subscriber}/redrives";

  private final QueueResolver queues;

  RedriveRoutes(QueueResolver queues) {
    this.queues = queues;
  }

  List<Endpoint> endpoints() {
    return List.of(
        new Endpoint(HttpMethod.POST, START, Right.ADMIN, Set.of(), this::start),
        new Endpoint(HttpMethod.GET, ALL, Right.CONSUME, Set.of(), this::list),
        new Endpoint(HttpMethod.GET, ALL + "/{redrive}", Right.CONSUME, Set.of(), this::get),
        new Endpoint(HttpMethod.DELETE, ALL + "/{redrive}", Right.ADMIN, Set.of(), this::cancel));
  }

  record StartJson(@Nullable String target, @Nullable String filter) {}

  /** A redrive in the contract. */
  record RedriveJson(
      String id,
      String subscriber,
      @Nullable String target,
      @Nullable String filter,
      RedriveStatus.State state,
      String started,
      long moved,
      long skipped,
      long left,
      String waiting) {}

  record RedrivesJson(List<RedriveJson> redrives) {}

  private static RedriveJson json(RedriveStatus status) {
    return new RedriveJson(
        status.id(),
        status.redrive().subscriber(),
        status.redrive().target(),
        status.redrive().filter(),
        status.state(),
        status.started().toString(),
        status.moved(),
        status.skipped(),
        status.left(),
        status.waiting());
  }

  private Future<ApiResponse> start(ApiRequest call) {
    HostedQueue<?> queue = queues.queue(call.name("queue"));
    String subscriber = call.name("subscriber");
    StartJson body = call.bodyOrNull(StartJson.class);
    StartJson asked = body == null ? new StartJson(null, null) : body;
    call.mayPublish("target", asked.target());
    String filter = asked.filter();
    if (filter != null) {
      FilterExpression unused =
          RequestException.checked("filter", () -> FilterExpression.parse(filter));
    }
    Redrive redrive = new Redrive(subscriber, asked.target(), filter);
    return call.blocking(
        () -> queues.withSubscriber(queue, subscriber, hosted -> started(queue.queue(), redrive)));
  }

  private static ApiResponse started(MessageQueue<?> queue, Redrive redrive) {
    RedriveStatus started = RequestException.orConflict(() -> Redrives.of(queue).start(redrive));
    return ApiResponse.json(201, ApiResponse.buffer(json(started)))
        .with("Location", "/v1/queues/" + queue.name() + "/redrives/" + started.id());
  }

  private Future<ApiResponse> list(ApiRequest call) {
    Redrives redrives = redrives(call);
    return call.blocking(
        () ->
            ApiResponse.ok(
                ApiResponse.buffer(
                    new RedrivesJson(redrives.list().stream().map(RedriveRoutes::json).toList()))));
  }

  private Redrives redrives(ApiRequest call) {
    return Redrives.of(queues.queue(call.name("queue")).queue());
  }

  private Future<ApiResponse> cancel(ApiRequest call) {
    Redrives redrives = redrives(call);
    String id = call.name("redrive");
    return call.blocking(
        () -> {
          boolean unused = redrives.cancel(id);
          return found(redrives, id);
        });
  }

  private Future<ApiResponse> get(ApiRequest call) {
    Redrives redrives = redrives(call);
    String id = call.name("redrive");
    return call.blocking(() -> found(redrives, id));
  }

  private static ApiResponse found(Redrives redrives, String id) {
    return ApiResponse.ok(
        ApiResponse.buffer(
            redrives
                .find(id)
                .map(RedriveRoutes::json)
                .orElseThrow(
                    () ->
                        RequestException.of(
                            RequestException.Reason.NOT_FOUND, "there is no redrive " + id))));
  }
}
