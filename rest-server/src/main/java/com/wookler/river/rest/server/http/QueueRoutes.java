package com.wookler.river.rest.server.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.wookler.river.common.settings.Settings;
import com.wookler.river.core.BlockStats;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.QueueOptions;
import com.wookler.river.core.QueueState;
import com.wookler.river.core.QueueStats;
import com.wookler.river.core.message.QueueStatus;
import com.wookler.river.rest.server.hosting.ContractFormat;
import com.wookler.river.rest.server.hosting.HostedQueue;
import com.wookler.river.rest.server.hosting.QueueCatalog;
import com.wookler.river.rest.server.hosting.QueueResolver;
import com.wookler.river.rest.server.hosting.RequestException;
import com.wookler.river.rest.server.hosting.Right;
import com.wookler.river.rest.server.hosting.SettingsJson;
import com.wookler.river.rest.server.hosting.SettingsSource;
import com.wookler.river.rest.server.hosting.SettingsVersion;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The routes for queues. */
final class QueueRoutes {
  private static final int MAX_QUEUES = 1_000;
  private static final int DEFAULT_BLOCKS = 100;
  private static final int MAX_BLOCKS = 1_000;
  private static final String PATH = "/v1/queues/{queue}";
  private static final String STATUS = PATH + "/status";

  private final QueueResolver queues;

  QueueRoutes(QueueResolver queues) {
    this.queues = queues;
  }

  List<Endpoint> endpoints() {
    return List.of(
        new Endpoint(
            HttpMethod.GET, "/v1/queues", Right.CONSUME, Set.of("after", "max"), this::list),
        new Endpoint(HttpMethod.GET, PATH, Right.CONSUME, Set.of(), this::get),
        new Endpoint(HttpMethod.PUT, PATH, Right.ADMIN, Set.of(), this::put)
            .conditional("If-Match"),
        new Endpoint(HttpMethod.PATCH, PATH, Right.ADMIN, Set.of(), this::patch)
            .conditional("If-Match"),
        new Endpoint(HttpMethod.DELETE, PATH, Right.ADMIN, Set.of("force"), this::delete)
            .conditional("If-Match"),
        new Endpoint(
            HttpMethod.GET, PATH + "/blocks", Right.CONSUME, Set.of("below", "max"), this::blocks),
        new Endpoint(HttpMethod.GET, STATUS, Right.CONSUME, Set.of(), this::status),
        new Endpoint(HttpMethod.PUT, STATUS, Right.ADMIN, Set.of(), this::putStatus),
        new Endpoint(HttpMethod.POST, PATH + "/compact", Right.ADMIN, Set.of(), this::compact));
  }

  /** A queue in the contract. */
  record QueueJson(
      String name,
      QueueState state,
      ObjectNode settings,
      SettingsSource settingsFrom,
      QueueStats stats) {}

  /** A block of a queue in the contract. */
  record BlockJson(
      int number,
      BlockStats.State state,
      boolean inBackup,
      long firstSequence,
      long endSequence,
      int lost,
      long bytes,
      @Nullable Long backupBytes,
      @Nullable String firstPublished,
      @Nullable String lastPublished) {
    static BlockJson of(BlockStats block) {
      boolean inBackup = block.backupBytes() > 0;
      Instant first = block.firstPublished();
      Instant last = block.lastPublished();
      return new BlockJson(
          block.number(),
          block.state(),
          inBackup,
          block.firstSequence(),
          block.firstSequence() + block.messages(),
          block.lost(),
          block.bytes(),
          inBackup ? block.backupBytes() : null,
          first == null ? null : first.toString(),
          last == null ? null : last.toString());
    }
  }

  record BlocksJson(List<BlockJson> blocks, @Nullable Integer next) {}

  record CompactedJson(long removed) {}

  /** The status of a queue in the contract. */
  record StatusJson(QueueStatus status) {}

  record QueuesJson(List<QueueJson> queues, @Nullable String next) {}

  static QueueJson json(HostedQueue<?> hosted) {
    MessageQueue<?> queue = hosted.queue();
    return new QueueJson(
        queue.name(),
        queue.state(),
        SettingsJson.QUEUE.given(hosted.given()),
        hosted.source(),
        queue.stats());
  }

  private Future<ApiResponse> list(ApiRequest call) {
    String after = call.query("after");
    String first = after == null ? "" : ContractFormat.name("after", after);
    int max = call.query("max", Integer.MAX_VALUE, MAX_QUEUES);
    return call.blocking(
        () -> {
          List<HostedQueue<?>> rest =
              queues.catalog().all().stream()
                  .filter(queue -> call.may(Right.CONSUME, queue.queue().name()))
                  .filter(queue -> first.compareToIgnoreCase(queue.queue().name()) < 0)
                  .toList();
          List<HostedQueue<?>> page = rest.subList(0, Math.min(max, rest.size()));
          String next =
              page.size() == rest.size() ? null : page.get(page.size() - 1).queue().name();
          return ApiResponse.ok(
              ApiResponse.buffer(
                  new QueuesJson(page.stream().map(QueueRoutes::json).toList(), next)));
        });
  }

  private Future<ApiResponse> get(ApiRequest call) {
    HostedQueue<?> queue = queues.queue(call.name("queue"));
    return call.blocking(() -> shown(queue, 200));
  }

  /** Returns a queue with the version of its settings, where a request may change them. */
  private static ApiResponse shown(HostedQueue<?> queue, int status) {
    QueueJson json = json(queue);
    ApiResponse answer = ApiResponse.json(status, ApiResponse.buffer(json));
    return queue.source() == SettingsSource.REQUEST
        ? answer.with("ETag", SettingsVersion.of(json.settings()))
        : answer;
  }

  private Future<ApiResponse> put(ApiRequest call) {
    String name = call.name("queue");
    Settings settings = SettingsJson.QUEUE.read(call.bodyOrNull(ObjectNode.class));
    String expected = call.header("If-Match");
    call.mayPublish("expiryQueue", settings.find(QueueOptions.EXPIRY_QUEUE));
    return call.blocking(
        () -> {
          QueueCatalog.Created created = queues.catalog().getOrCreate(name, settings, expected);
          return created.created()
              ? shown(created.queue(), 201).with("Location", "/v1/queues/" + name)
              : shown(created.queue(), 200);
        });
  }

  private Future<ApiResponse> patch(ApiRequest call) {
    HostedQueue<?> queue = queues.queue(call.name("queue"));
    Settings asked = SettingsJson.QUEUE.read(call.body(ObjectNode.class));
    call.mayPublish("expiryQueue", asked.find(QueueOptions.EXPIRY_QUEUE));
    String expected = call.header("If-Match");
    return call.blocking(
        () -> {
          queues.catalog().change(queue, asked, expected);
          return shown(queue, 200);
        });
  }

  private Future<ApiResponse> status(ApiRequest call) {
    return status(call, queue -> {});
  }

  private Future<ApiResponse> putStatus(ApiRequest call) {
    QueueStatus to = call.body(StatusJson.class).status();
    if (to == null) {
      throw RequestException.field("status", "is missing");
    }
    return status(call, queue -> queue.status(to));
  }

  private Future<ApiResponse> status(ApiRequest call, Consumer<MessageQueue<?>> change) {
    MessageQueue<?> queue = queues.queue(call.name("queue")).queue();
    return call.blocking(
        () -> {
          change.accept(queue);
          return ApiResponse.ok(ApiResponse.buffer(new StatusJson(queue.status())));
        });
  }

  /** Answers the newest blocks below a number; `next` is the number of the last one. */
  private Future<ApiResponse> blocks(ApiRequest call) {
    int below = call.query("below", Integer.MAX_VALUE, Integer.MAX_VALUE);
    int max = call.query("max", DEFAULT_BLOCKS, MAX_BLOCKS);
    HostedQueue<?> queue = queues.queue(call.name("queue"));
    return call.blocking(
        () -> {
          List<BlockStats> found = queue.queue().blocks(below, max + 1);
          List<BlockStats> page = found.subList(0, Math.min(max, found.size()));
          Integer next = found.size() > max ? page.get(max - 1).number() : null;
          return ApiResponse.ok(
              ApiResponse.buffer(new BlocksJson(page.stream().map(BlockJson::of).toList(), next)));
        });
  }

  private Future<ApiResponse> compact(ApiRequest call) {
    HostedQueue<?> queue = queues.queue(call.name("queue"));
    return call.blocking(
        () -> ApiResponse.ok(ApiResponse.buffer(new CompactedJson(queue.queue().compact()))));
  }

  private Future<ApiResponse> delete(ApiRequest call) {
    boolean force = call.query("force", false);
    String expected = call.header("If-Match");
    HostedQueue<?> queue = queues.queue(call.name("queue"));
    return call.blocking(
        () -> {
          queues.catalog().delete(queue, force, expected);
          return ApiResponse.done();
        });
  }
}
