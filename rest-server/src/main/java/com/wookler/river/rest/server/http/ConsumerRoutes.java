package com.wookler.river.rest.server.http;

import com.wookler.river.rest.server.hosting.HostedQueue;
import com.wookler.river.rest.server.hosting.QueueResolver;
import com.wookler.river.rest.server.hosting.RequestException;
import com.wookler.river.rest.server.hosting.Right;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The routes for the requests that wait for messages of a subscriber. */
final class ConsumerRoutes {
  private static final String PATH = "/v1/queues/{queue}/subscribers/{subscriber}/consumers";
  private static final int DEFAULT_CONSUMERS = 100;
  private static final int MAX_CONSUMERS = 1_000;

  private final QueueResolver queues;
  private final ConsumerRegistry consumers;

  ConsumerRoutes(QueueResolver queues, ConsumerRegistry consumers) {
    this.queues = queues;
    this.consumers = consumers;
  }

  List<Endpoint> endpoints() {
    return List.of(
        new Endpoint(HttpMethod.GET, PATH, Right.ADMIN, Set.of("max"), this::list),
        new Endpoint(
            HttpMethod.DELETE, PATH + "/{consumer}", Right.ADMIN, Set.of(), this::disconnect));
  }

  record ConsumerJson(
      String id,
      ConsumerRegistry.Kind kind,
      String address,
      String key,
      @Nullable String owner,
      String since) {
    static ConsumerJson of(ConsumerRegistry.Consumer consumer) {
      return new ConsumerJson(
          consumer.id(),
          consumer.kind(),
          consumer.address(),
          consumer.key(),
          consumer.owner(),
          consumer.since().toString());
    }
  }

  record ConsumersJson(int size, List<ConsumerJson> consumers) {}

  private Future<ApiResponse> list(ApiRequest call) {
    int max = call.query("max", DEFAULT_CONSUMERS, MAX_CONSUMERS);
    HostedQueue<?> queue = queues.queue(call.name("queue"));
    String subscriber = call.name("subscriber");
    return call.blocking(
        () -> {
          var unused = queues.subscriber(queue, subscriber); // throws if there is none
          List<ConsumerRegistry.Consumer> all = consumers.of(queue.queue().name(), subscriber);
          List<ConsumerJson> shown = all.stream().limit(max).map(ConsumerJson::of).toList();
          return ApiResponse.ok(ApiResponse.buffer(new ConsumersJson(all.size(), shown)));
        });
  }

  private Future<ApiResponse> disconnect(ApiRequest call) {
    String id = call.name("consumer");
    if (!consumers.end(call.name("queue"), call.name("subscriber"), id)) {
      throw RequestException.of(
          RequestException.Reason.NOT_FOUND,
          "subscriber " + call.name("subscriber") + " has no consumer " + id);
    }
    return Future.succeededFuture(ApiResponse.done());
  }
}
