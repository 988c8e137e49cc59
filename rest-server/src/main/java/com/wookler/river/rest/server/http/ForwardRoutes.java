package com.wookler.river.rest.server.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.settings.Settings;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.TransferStats;
import com.wookler.river.forward.ForwardConfig;
import com.wookler.river.forward.ForwardStats;
import com.wookler.river.forward.Forwards;
import com.wookler.river.rest.server.hosting.ContractFormat;
import com.wookler.river.rest.server.hosting.QueueResolver;
import com.wookler.river.rest.server.hosting.RequestException;
import com.wookler.river.rest.server.hosting.Right;
import com.wookler.river.rest.server.hosting.SettingsJson;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The routes for the queues to which a queue forwards. */
final class ForwardRoutes {
  private static final TimeSource TIME = TimeSource.system();
  private static final String ALL = "/v1/queues/{queue}/forwards";
  private static final String PATH = ALL + "/{target}";
  private static final Duration LONGEST = Duration.ofMinutes(1);
  private static final long LOOK_MILLIS = 5;
  private static final int MOST_WAITING = 1_000;

  private final QueueResolver queues;
  private final AtomicInteger waiting = new AtomicInteger();

  ForwardRoutes(QueueResolver queues) {
    this.queues = queues;
  }

  List<Endpoint> endpoints() {
    return List.of(
        new Endpoint(HttpMethod.GET, ALL, Right.CONSUME, Set.of(), this::list),
        new Endpoint(HttpMethod.PUT, PATH, Right.ADMIN, Set.of(), this::put),
        new Endpoint(HttpMethod.DELETE, PATH, Right.ADMIN, Set.of(), this::delete),
        new Endpoint(
            HttpMethod.POST,
            "/v1/queues/{queue}/await-forwards",
            Right.PUBLISH,
            Set.of(),
            this::await));
  }

  /** A target, or another transfer, in the contract. */
  record ForwardJson(
      String target,
      String kind,
      boolean configured,
      @Nullable String subscriber,
      @Nullable ObjectNode settings,
      StatsJson stats) {}

  /** Figures of it in the contract. */
  record StatsJson(
      long position,
      long lag,
      long safe,
      long forwarded,
      long expired,
      long filtered,
      long failed,
      long discarded,
      String waiting,
      @Nullable String awaySince,
      boolean ended) {}

  record ForwardsJson(List<ForwardJson> forwards) {}

  record AwaitJson(
      @Nullable Long sequence, @Nullable String timeout, @Nullable List<String> targets) {}

  record HeldJson(boolean held) {}

  /** Returns a forward to another queue. */
  private static ForwardJson json(Forwards forwards, ForwardStats stats) {
    ObjectNode settings =
        find(forwards, stats.queue())
            .map(config -> SettingsJson.FORWARD.all(config.settings()))
            .orElse(null);
    return new ForwardJson(
        stats.queue(),
        TransferStats.QUEUE,
        forwards.isConfigured(stats.queue()),
        null,
        settings,
        new StatsJson(
            stats.position(),
            stats.lag(),
            stats.safe(),
            stats.forwarded(),
            stats.expired(),
            stats.filtered(),
            stats.failed(),
            stats.discarded(),
            stats.waiting(),
            null,
            settings == null));
  }

  /** Returns a transfer that is no forward to another queue. */
  private static ForwardJson json(TransferStats stats) {
    Instant since = stats.awaySince();
    return new ForwardJson(
        stats.target(),
        stats.kind(),
        true,
        stats.subscriber(),
        null,
        new StatsJson(
            stats.position(),
            stats.lag(),
            stats.position(),
            stats.transferred(),
            0,
            0,
            stats.failed(),
            0,
            stats.waiting(),
            since == null ? null : since.toString(),
            stats.ended()));
  }

  private static Optional<ForwardConfig> find(Forwards forwards, String target) {
    return forwards.configs().stream().filter(each -> each.target().equals(target)).findFirst();
  }

  private MessageQueue<?> queue(ApiRequest call) {
    return queues.queue(call.name("queue")).queue();
  }

  private Forwards forwards(ApiRequest call) {
    return Forwards.of(queue(call));
  }

  private Future<ApiResponse> list(ApiRequest call) {
    MessageQueue<?> queue = queue(call);
    Forwards forwards = forwards(call);
    return call.blocking(
        () -> {
          Stream<ForwardJson> targets = forwards.stats().stream().map(each -> json(forwards, each));
          Stream<ForwardJson> others =
              queue.transfers().stream()
                  .filter(each -> !each.kind().equals(TransferStats.QUEUE))
                  .map(ForwardRoutes::json);
          return ApiResponse.ok(
              ApiResponse.buffer(new ForwardsJson(Stream.concat(targets, others).toList())));
        });
  }

  /** Adds a target, or changes the settings that are given of one. */
  private Future<ApiResponse> put(ApiRequest call) {
    Forwards forwards = forwards(call);
    String target = call.name("target");
    call.mayPublish("target", target);
    Settings asked = SettingsJson.FORWARD.read(call.bodyOrNull(ObjectNode.class));
    return call.blocking(
        () -> {
          Optional<ForwardConfig> before = find(forwards, target);
          ForwardConfig.Builder config = ForwardConfig.to(target);
          int status =
              RequestException.orConflict(
                  () -> {
                    if (before.isEmpty()) {
                      forwards.add(config.settings(asked).build());
                      return 201;
                    }
                    forwards.change(
                        config.settings(before.get().settings().withGiven(asked)).build());
                    return 200;
                  });
          return ApiResponse.json(
              status,
              ApiResponse.buffer(
                  forwards.stats().stream()
                      .filter(each -> each.queue().equals(target))
                      .map(each -> json(forwards, each))
                      .findFirst()
                      .orElseThrow(() -> missing(target))));
        });
  }

  private static RequestException missing(String target) {
    return RequestException.of(
        RequestException.Reason.NOT_FOUND, "the queue does not forward to " + target);
  }

  private Future<ApiResponse> delete(ApiRequest call) {
    Forwards forwards = forwards(call);
    String target = call.name("target");
    return call.blocking(
        () -> {
          if (!RequestException.orConflict(() -> forwards.remove(target))) {
            throw missing(target);
          }
          return ApiResponse.done();
        });
  }

  /** Refuses to wait for what there is not: a forward, or the message. */
  private static long checkReached(MessageQueue<?> queue, Forwards forwards, long sequence) {
    if (forwards.configs().isEmpty()) {
      throw RequestException.of(
          RequestException.Reason.CONFLICT, "queue " + queue.name() + " does not forward");
    }
    long next = queue.stats().nextSequence();
    if (sequence >= next) {
      throw RequestException.field(
          "sequence", "was not published yet: the next one of the queue is " + next);
    }
    return next;
  }

  private Future<ApiResponse> await(ApiRequest call) {
    Forwards forwards = forwards(call);
    AwaitJson asked = call.body(AwaitJson.class);
    if (asked.sequence() == null || asked.sequence() < 0) {
      throw RequestException.field("sequence", "is required, and 0 or more");
    }
    long sequence = asked.sequence();
    Duration timeout =
        asked.timeout() == null ? LONGEST : ContractFormat.duration("timeout", asked.timeout());
    if (timeout.compareTo(LONGEST) > 0) {
      throw RequestException.field("timeout", "is more than " + ContractFormat.of(LONGEST));
    }
    String[] targets =
        asked.targets() == null ? new String[0] : asked.targets().toArray(new String[0]);
    RequestException.checked("targets", () -> forwards.hold(sequence, targets));
    MessageQueue<?> queue = queue(call);
    return call.blocking(() -> checkReached(queue, forwards, sequence))
        .compose(reached -> await(call, forwards, sequence, timeout, targets));
  }

  /** Looks every few milliseconds, so that no thread waits. */
  private Future<ApiResponse> await(
      ApiRequest call, Forwards forwards, long sequence, Duration timeout, String... targets) {
    if (waiting.incrementAndGet() > MOST_WAITING) {
      waiting.decrementAndGet();
      throw RequestException.of(
          RequestException.Reason.TOO_MANY_REQUESTS, MOST_WAITING + " requests wait for forwards");
    }
    forwards.hurry(sequence, targets);
    Promise<ApiResponse> answered = Promise.promise();
    Vertx vertx = call.loop().owner();
    long started = TIME.nanoTime();
    vertx.setPeriodic(
        LOOK_MILLIS,
        timer -> {
          boolean isOver = TIME.nanoTime() - started >= timeout.toNanos();
          try {
            boolean held = forwards.hold(sequence, targets);
            if (held || isOver) {
              vertx.cancelTimer(timer);
              waiting.decrementAndGet();
              answered.tryComplete(ApiResponse.ok(ApiResponse.buffer(new HeldJson(held))));
            }
          } catch (RuntimeException e) { // the queue is closed, or a target removed
            vertx.cancelTimer(timer);
            waiting.decrementAndGet();
            answered.tryFail(e);
          }
        });
    return answered.future();
  }
}
