package com.wookler.river.rest.server.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.wookler.river.core.settings.Settings;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.core.subscriber.SubscriberOptions;
import com.wookler.river.core.subscriber.SubscriberStats;
import com.wookler.river.rest.server.hosting.HostedQueue;
import com.wookler.river.rest.server.hosting.HostedSubscriber;
import com.wookler.river.rest.server.hosting.ObjectsJson.PositionJson;
import com.wookler.river.rest.server.hosting.QueueResolver;
import com.wookler.river.rest.server.hosting.RequestException;
import com.wookler.river.rest.server.hosting.Right;
import com.wookler.river.rest.server.hosting.SettingsJson;
import io.vertx.core.Future;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The subscribers of a queue: who they are, where they stand, and their dead letters. */
final class SubscriberRoutes {
  private static final String ALL = "/v1/queues/{queue}/subscribers";
  private static final String PATH = ALL + "/{subscriber}";
  private static final Set<String> NOTHING = Set.of();
  private static final int FEW = 10;
  private static final int MOST = 1_000;
  private static final int MOST_REDRIVEN = 10_000;

  private final QueueResolver queues;
  private final WorkerExecutor readers;

  /**
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
        new Endpoint(HttpMethod.PUT, PATH, Right.ADMIN, NOTHING, this::put),
        new Endpoint(HttpMethod.PATCH, PATH, Right.ADMIN, NOTHING, this::patch),
        new Endpoint(HttpMethod.DELETE, PATH, Right.ADMIN, NOTHING, this::delete),
        admin("/seek", this::seek),
        admin("/pause", this::pause),
        admin("/resume", this::resume),
        admin("/purge", this::purge),
        admin("/redrive", this::redrive),
        new Endpoint(HttpMethod.GET, PATH + "/peek", Right.CONSUME, Set.of("max"), this::peek),
        new Endpoint(HttpMethod.GET, PATH + "/dead", Right.CONSUME, Set.of("max"), this::dead),
        new Endpoint(HttpMethod.DELETE, PATH + "/dead", Right.ADMIN, NOTHING, this::purgeDead));
  }

  private static Endpoint admin(String verb, Endpoint.Handler handler) {
    return new Endpoint(HttpMethod.POST, PATH + verb, Right.ADMIN, NOTHING, handler);
  }

  /** Figures as the contract shows them. */
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
      long discarded) {
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
          stats.discarded());
    }
  }

  record SubscriberJson(String name, String queue, ObjectNode settings, StatsJson stats) {}

  record SubscribersJson(List<SubscriberJson> subscribers) {}

  record PurgedJson(long purged) {}

  record RedrivenJson(int redriven) {}

  record RedriveJson(@Nullable Integer max) {}

  private static SubscriberJson json(HostedSubscriber<?> hosted) {
    return new SubscriberJson(
        hosted.subscriber().name(),
        hosted.queue(),
        SettingsJson.SUBSCRIBER.all(hosted.subscriber().config().settings()),
        StatsJson.of(hosted.subscriber().stats()));
  }

  private static Answer shown(HostedSubscriber<?> hosted) {
    return Answer.ok(Answer.buffer(json(hosted)));
  }

  /** Does something with the subscriber of the path, on a thread that may block. */
  private Future<Answer> with(Call call, Function<HostedSubscriber<?>, Answer> work) {
    HostedQueue<?> queue = queues.queue(call.name("queue"));
    call.name("subscriber");
    return call.blocking(() -> queues.with(queue, call.name("subscriber"), work));
  }

  private Future<Answer> reading(Call call, Function<HostedSubscriber<?>, Buffer> work) {
    HostedQueue<?> queue = queues.queue(call.name("queue"));
    call.name("subscriber");
    return call.reading(
        readers, () -> Answer.ok(queues.with(queue, call.name("subscriber"), work)));
  }

  private Future<Answer> list(Call call) {
    HostedQueue<?> queue = queues.queue(call.name("queue"));
    return call.blocking(
        () ->
            Answer.ok(
                Answer.buffer(
                    new SubscribersJson(
                        queue.subscribers().stream().map(SubscriberRoutes::json).toList()))));
  }

  private Future<Answer> get(Call call) {
    return with(call, SubscriberRoutes::shown);
  }

  private Future<Answer> put(Call call) {
    HostedQueue<?> queue = queues.queue(call.name("queue"));
    String name = call.name("subscriber");
    Settings settings = SettingsJson.SUBSCRIBER.read(call.bodyOrNull(ObjectNode.class));
    call.mayPublish("expiryQueue", settings.find(SubscriberOptions.EXPIRY_QUEUE));
    SubscriberConfig config = HostedQueue.subscriber(name, settings);
    return call.blocking(() -> put(queue, config));
  }

  private static <M> Answer put(HostedQueue<M> queue, SubscriberConfig config) {
    HostedQueue.Made<M> made = queue.make(config);
    return Answer.json(made.made() ? 201 : 200, Answer.buffer(json(made.subscriber())));
  }

  private Future<Answer> patch(Call call) {
    HostedQueue<?> queue = queues.queue(call.name("queue"));
    Settings asked = SettingsJson.SUBSCRIBER.read(call.body(ObjectNode.class));
    call.mayPublish("expiryQueue", asked.find(SubscriberOptions.EXPIRY_QUEUE));
    return with(
        call,
        hosted -> {
          queue.change(hosted, asked);
          return shown(hosted);
        });
  }

  private Future<Answer> delete(Call call) {
    HostedQueue<?> queue = queues.queue(call.name("queue"));
    String name = call.name("subscriber");
    return call.blocking(
        () -> {
          if (!queue.remove(name)) {
            queues.subscriber(queue, call.name("subscriber")); // says that there is none
          }
          return Answer.done();
        });
  }

  private Future<Answer> seek(Call call) {
    Position position = call.body(PositionJson.class).toPosition("body");
    return with(
        call,
        hosted -> {
          hosted.subscriber().seek(position);
          return shown(hosted);
        });
  }

  private Future<Answer> pause(Call call) {
    return with(
        call,
        hosted -> {
          hosted.subscriber().pause();
          return Answer.done();
        });
  }

  private Future<Answer> resume(Call call) {
    return with(
        call,
        hosted -> {
          hosted.subscriber().resume();
          return Answer.done();
        });
  }

  private Future<Answer> purge(Call call) {
    return with(
        call, hosted -> Answer.ok(Answer.buffer(new PurgedJson(hosted.subscriber().purge()))));
  }

  private Future<Answer> redrive(Call call) {
    RedriveJson asked = call.bodyOrNull(RedriveJson.class);
    int max = asked == null || asked.max() == null ? MOST : asked.max();
    if (max < 1 || max > MOST_REDRIVEN) {
      throw RequestException.field("max", "is not from 1 to " + MOST_REDRIVEN);
    }
    return with(
        call,
        hosted ->
            Answer.ok(
                Answer.buffer(new RedrivenJson(hosted.subscriber().deadLetters().redrive(max)))));
  }

  private Future<Answer> peek(Call call) {
    int max = call.query("max", FEW, MOST);
    return reading(call, hosted -> MessageJson.messages(hosted.peek(max, call.answerBytes())));
  }

  private Future<Answer> dead(Call call) {
    int max = call.query("max", FEW, MOST);
    return reading(call, hosted -> dead(hosted, max, call.answerBytes()));
  }

  private Future<Answer> purgeDead(Call call) {
    return with(
        call,
        hosted ->
            Answer.ok(Answer.buffer(new PurgedJson(hosted.subscriber().deadLetters().purge()))));
  }

  private static Buffer dead(HostedSubscriber<?> hosted, int max, long bytes) {
    return MessageJson.messages(
        hosted.subscriber().deadLetters().size(), hosted.oldestDead(max, bytes));
  }
}
