package com.wookler.river.rest.server.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.wookler.river.common.settings.Settings;
import com.wookler.river.core.subscriber.Lease;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.core.subscriber.SubscriberOptions;
import com.wookler.river.core.subscriber.SubscriberStats;
import com.wookler.river.rest.server.hosting.CompositeOptionsJson.PositionJson;
import com.wookler.river.rest.server.hosting.HostedQueue;
import com.wookler.river.rest.server.hosting.HostedSubscriber;
import com.wookler.river.rest.server.hosting.QueueResolver;
import com.wookler.river.rest.server.hosting.RequestException;
import com.wookler.river.rest.server.hosting.Right;
import com.wookler.river.rest.server.hosting.SettingsJson;
import com.wookler.river.rest.server.hosting.SettingsVersion;
import io.vertx.core.Future;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The routes for subscribers of a queue and their dead letters. */
final class SubscriberRoutes {
  private static final String ALL = "/v1/queues/{queue}/subscribers";
  private static final String PATH = ALL + "/{subscriber}";
  private static final Set<String> NOTHING = Set.of();
  private static final Set<String> READING = Set.of("max", "preview");
  private static final int DEFAULT_MESSAGES = 10;
  private static final int MAX_MESSAGES = 1_000;
  private static final int MAX_REDRIVEN = 10_000;

  private final QueueResolver queues;
  private final WorkerExecutor readers;

  /**
   * Creates the routes.
   *
   * @param readers threads on which many messages are read
   */
  SubscriberRoutes(QueueResolver queues, WorkerExecutor readers) {
    this.readers = readers;
    this.queues = queues;
  }

  List<Endpoint> endpoints() {
    return List.of(
        new Endpoint(HttpMethod.GET, ALL, Right.CONSUME, NOTHING, this::list),
        new Endpoint(HttpMethod.GET, PATH, Right.CONSUME, NOTHING, this::get),
        new Endpoint(HttpMethod.PUT, PATH, Right.ADMIN, NOTHING, this::put).conditional("If-Match"),
        new Endpoint(HttpMethod.PATCH, PATH, Right.ADMIN, NOTHING, this::patch)
            .conditional("If-Match"),
        new Endpoint(HttpMethod.DELETE, PATH, Right.ADMIN, NOTHING, this::delete)
            .conditional("If-Match"),
        admin("/seek", this::seek),
        admin("/pause", this::pause),
        admin("/resume", this::resume),
        admin("/purge", this::purge),
        admin("/redrive", this::redrive),
        new Endpoint(
            HttpMethod.PUT, PATH + "/lease", Right.CONSUME, Set.of("owner"), this::renewLease),
        new Endpoint(
            HttpMethod.DELETE, PATH + "/lease", Right.CONSUME, Set.of("owner"), this::releaseLease),
        new Endpoint(HttpMethod.GET, PATH + "/peek", Right.CONSUME, READING, this::peek),
        new Endpoint(HttpMethod.GET, PATH + "/dead", Right.CONSUME, READING, this::dead),
        new Endpoint(HttpMethod.DELETE, PATH + "/dead", Right.ADMIN, NOTHING, this::purgeDead),
        new Endpoint(
            HttpMethod.DELETE,
            PATH + "/dead/{sequence}",
            Right.ADMIN,
            NOTHING,
            this::deleteDeadLetter));
  }

  private static Endpoint admin(String verb, Endpoint.Handler handler) {
    return new Endpoint(HttpMethod.POST, PATH + verb, Right.ADMIN, NOTHING, handler);
  }

  /** Statistics of a subscriber in the contract. */
  record StatsJson(
      long lag,
      int inFlight,
      long ackFloor,
      long oldestUnfinishedAgeMillis,
      int windowUsed,
      int holes,
      long delivered,
      long acked,
      long redelivered,
      long dead,
      long deadDropped,
      long filtered,
      long expired,
      long discarded,
      long removed,
      boolean paused) {
    static StatsJson of(SubscriberStats stats) {
      return new StatsJson(
          stats.lag(),
          stats.inFlight(),
          stats.ackFloor(),
          stats.oldestUnfinishedAge().toMillis(),
          stats.windowUsed(),
          stats.holes(),
          stats.delivered(),
          stats.acked(),
          stats.redelivered(),
          stats.dead(),
          stats.deadDropped(),
          stats.filtered(),
          stats.expired(),
          stats.discarded(),
          stats.removed(),
          stats.paused());
    }
  }

  /** Who an exclusive subscriber delivers to, in the contract. */
  record LeaseJson(String owner, long leftMillis) {
    static @Nullable LeaseJson of(@Nullable Lease lease) {
      return lease == null ? null : new LeaseJson(lease.owner(), lease.left().toMillis());
    }
  }

  record SubscriberJson(
      String name, String queue, ObjectNode settings, StatsJson stats, @Nullable LeaseJson lease) {}

  record SubscribersJson(List<SubscriberJson> subscribers) {}

  record PurgedJson(long purged) {}

  record RedrivenJson(int redriven) {}

  record RedriveJson(@Nullable Integer max) {}

  private static SubscriberJson json(HostedSubscriber<?> hosted) {
    return new SubscriberJson(
        hosted.subscriber().name(),
        hosted.queue(),
        SettingsJson.SUBSCRIBER.all(hosted.subscriber().config().settings()),
        StatsJson.of(hosted.subscriber().stats()),
        LeaseJson.of(hosted.subscriber().lease()));
  }

  private static ApiResponse shown(HostedSubscriber<?> hosted) {
    return shown(hosted, 200);
  }

  /** Returns a subscriber with the version of its settings. */
  private static ApiResponse shown(HostedSubscriber<?> hosted, int status) {
    SubscriberJson json = json(hosted);
    return ApiResponse.json(status, ApiResponse.buffer(json))
        .with("ETag", SettingsVersion.of(json.settings()));
  }

  private static String owner(ApiRequest call) {
    String owner = call.query("owner");
    return owner == null ? "" : owner; // which is refused
  }

  private Future<ApiResponse> renewLease(ApiRequest call) {
    String owner = owner(call);
    return withSubscriber(
        call,
        hosted -> {
          if (!hosted.subscriber().config().exclusive()) {
            throw RequestException.of(
                RequestException.Reason.CONFLICT,
                "subscriber %s is not exclusive, and has no lease"
                    .formatted(hosted.subscriber().name()));
          }
          boolean unused = hosted.by(owner).consumer().renewLease(); // which the lease shows
          return shown(hosted);
        });
  }

  private Future<ApiResponse> releaseLease(ApiRequest call) {
    String owner = owner(call);
    return withSubscriber(
        call,
        hosted -> {
          hosted.by(owner).consumer().releaseLease();
          return ApiResponse.done();
        });
  }

  /** Applies a function to the subscriber in the path, on a thread that may block. */
  private Future<ApiResponse> withSubscriber(
      ApiRequest call, Function<HostedSubscriber<?>, ApiResponse> work) {
    HostedQueue<?> queue = queues.queue(call.name("queue"));
    call.name("subscriber");
    return call.blocking(() -> queues.withSubscriber(queue, call.name("subscriber"), work));
  }

  private Future<ApiResponse> reading(ApiRequest call, Function<HostedSubscriber<?>, Buffer> work) {
    HostedQueue<?> queue = queues.queue(call.name("queue"));
    call.name("subscriber");
    return call.reading(
        readers, () -> ApiResponse.ok(queues.withSubscriber(queue, call.name("subscriber"), work)));
  }

  private Future<ApiResponse> list(ApiRequest call) {
    HostedQueue<?> queue = queues.queue(call.name("queue"));
    return call.blocking(
        () ->
            ApiResponse.ok(
                ApiResponse.buffer(
                    new SubscribersJson(
                        queue.subscribers().stream().map(SubscriberRoutes::json).toList()))));
  }

  private Future<ApiResponse> get(ApiRequest call) {
    return withSubscriber(call, SubscriberRoutes::shown);
  }

  private Future<ApiResponse> put(ApiRequest call) {
    HostedQueue<?> queue = queues.queue(call.name("queue"));
    String name = call.name("subscriber");
    Settings settings = SettingsJson.SUBSCRIBER.read(call.bodyOrNull(ObjectNode.class));
    mayPublish(call, settings);
    SubscriberConfig config = HostedQueue.subscriber(name, settings);
    String expected = call.header("If-Match");
    return call.blocking(() -> put(queue, config, expected));
  }

  private static void mayPublish(ApiRequest call, Settings asked) {
    call.mayPublish("expiryQueue", asked.find(SubscriberOptions.EXPIRY_QUEUE));
    call.mayPublish("deadLetterQueue", asked.find(SubscriberOptions.DEAD_LETTER_QUEUE));
  }

  private static <M> ApiResponse put(
      HostedQueue<M> queue, SubscriberConfig config, @Nullable String expected) {
    HostedQueue.Created<M> created = queue.getOrCreate(config, expected);
    HostedSubscriber<M> subscriber = created.subscriber();
    return created.created()
        ? shown(subscriber, 201)
            .with("Location", "/v1/queues/" + subscriber.queue() + "/subscribers/" + config.name())
        : shown(subscriber);
  }

  private Future<ApiResponse> patch(ApiRequest call) {
    HostedQueue<?> queue = queues.queue(call.name("queue"));
    Settings asked = SettingsJson.SUBSCRIBER.read(call.body(ObjectNode.class));
    mayPublish(call, asked);
    String expected = call.header("If-Match");
    return withSubscriber(
        call,
        hosted -> {
          queue.change(hosted, asked, expected);
          return shown(hosted);
        });
  }

  private Future<ApiResponse> delete(ApiRequest call) {
    HostedQueue<?> queue = queues.queue(call.name("queue"));
    String name = call.name("subscriber");
    String expected = call.header("If-Match");
    return call.blocking(
        () -> {
          if (!queue.remove(name, expected)) {
            queues.subscriber(queue, call.name("subscriber")); // throws, because there is none
          }
          return ApiResponse.done();
        });
  }

  private Future<ApiResponse> seek(ApiRequest call) {
    Position position = call.body(PositionJson.class).toPosition("body");
    return withSubscriber(
        call,
        hosted -> {
          hosted.subscriber().seek(position);
          return shown(hosted);
        });
  }

  private Future<ApiResponse> pause(ApiRequest call) {
    return withSubscriber(
        call,
        hosted -> {
          hosted.subscriber().pause();
          return ApiResponse.done();
        });
  }

  private Future<ApiResponse> resume(ApiRequest call) {
    return withSubscriber(
        call,
        hosted -> {
          hosted.subscriber().resume();
          return ApiResponse.done();
        });
  }

  private Future<ApiResponse> purge(ApiRequest call) {
    return withSubscriber(
        call,
        hosted -> ApiResponse.ok(ApiResponse.buffer(new PurgedJson(hosted.subscriber().purge()))));
  }

  private Future<ApiResponse> redrive(ApiRequest call) {
    RedriveJson asked = call.bodyOrNull(RedriveJson.class);
    int max = asked == null || asked.max() == null ? MAX_MESSAGES : asked.max();
    if (max < 1 || max > MAX_REDRIVEN) {
      throw RequestException.field("max", "is not from 1 to " + MAX_REDRIVEN);
    }
    return withSubscriber(
        call,
        hosted ->
            ApiResponse.ok(
                ApiResponse.buffer(
                    new RedrivenJson(hosted.subscriber().deadLetters().redrive(max)))));
  }

  private Future<ApiResponse> peek(ApiRequest call) {
    int max = call.query("max", DEFAULT_MESSAGES, MAX_MESSAGES);
    DataView view = view(call);
    return reading(
        call, hosted -> MessageJson.messages(hosted.peek(max, call.answerBytes()), view));
  }

  private Future<ApiResponse> dead(ApiRequest call) {
    int max = call.query("max", DEFAULT_MESSAGES, MAX_MESSAGES);
    DataView view = view(call);
    return reading(call, hosted -> dead(hosted, max, call.answerBytes(), view));
  }

  private DataView view(ApiRequest call) {
    return DataView.of(queues.queue(call.name("queue")), call.preview(), call.answerBytes());
  }

  private Future<ApiResponse> purgeDead(ApiRequest call) {
    return withSubscriber(
        call,
        hosted ->
            ApiResponse.ok(
                ApiResponse.buffer(new PurgedJson(hosted.subscriber().deadLetters().purge()))));
  }

  private Future<ApiResponse> deleteDeadLetter(ApiRequest call) {
    long sequence = call.sequenceInPath();
    return withSubscriber(
        call,
        hosted -> {
          if (!hosted.subscriber().deadLetters().remove(sequence)) {
            throw RequestException.of(
                RequestException.Reason.NOT_FOUND,
                "subscriber %s has no dead letter %d"
                    .formatted(hosted.subscriber().name(), sequence));
          }
          return ApiResponse.done();
        });
  }

  private static Buffer dead(HostedSubscriber<?> hosted, int max, long bytes, DataView view) {
    return MessageJson.messages(
        "size", hosted.subscriber().deadLetters().size(), hosted.oldestDead(max, bytes), view);
  }
}
