package com.wookler.river.rest.server.http;

import com.wookler.river.core.Expected;
import com.wookler.river.core.PublishResult;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.rest.server.hosting.HostedQueue;
import com.wookler.river.rest.server.hosting.Latencies;
import com.wookler.river.rest.server.hosting.PublishTarget;
import com.wookler.river.rest.server.hosting.QueueResolver;
import com.wookler.river.rest.server.hosting.RequestException;
import com.wookler.river.rest.server.hosting.Right;
import com.wookler.river.rest.server.hosting.ServerContext;
import com.wookler.river.rest.server.hosting.WaitingPublishes;
import io.vertx.core.Future;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The routes for publishing and reading messages.
 *
 * <p>A publish runs on the event loop: it appends without waiting, and the queue completes it when
 * it is durable. If the queue may block publishers, has to be created first, if the body is large,
 * or the publish has a condition, it runs on a worker thread.
 */
final class MessageRoutes {
  private static final String QUEUE = "/v1/queues/{queue}";
  private static final String PATH = QUEUE + "/messages";
  private static final String HEADER = "river-header-";
  private static final List<String> KNOWN =
      List.of("River-Key", "River-Id", "River-Delay", "River-Deliver-At", "River-Expires");
  private static final String BATCH = "application/x-ndjson";
  private static final int LARGE_BYTES = 64 << 10;
  private static final long MESSAGE_BYTES = 400L; // memory of a batch's message, besides its data

  private final QueueResolver queues;
  private final WaitingPublishes waiting;
  private final WorkerExecutor readers;
  private final Latencies latencies;
  private final PublishTarget target;

  /**
   * Creates the routes.
   *
   * @param readers threads on which messages are read
   */
  MessageRoutes(ServerContext context, WorkerExecutor readers) {
    this.readers = readers;
    this.queues = context.queues();
    this.target = context.target();
    this.waiting = context.publishes();
    this.latencies = context.polls().latencies();
  }

  List<Endpoint> endpoints() {
    return List.of(
        publishing(PATH, MessageRoutes::bytesOrLines, MessageRoutes::isBatch),
        publishing(QUEUE + "/publish", MessageRoutes::message, call -> false),
        publishing(QUEUE + "/publish-batch", MessageRoutes::batch, call -> true),
        new Endpoint(HttpMethod.GET, PATH, Right.CONSUME, MessageSearch.PARAMETERS, this::find),
        new Endpoint(HttpMethod.GET, PATH + "/{sequence}", Right.CONSUME, Set.of(), this::get),
        new Endpoint(
            HttpMethod.GET, PATH + "/{sequence}/data", Right.CONSUME, Set.of(), this::data));
  }

  private Endpoint publishing(
      String path, Function<ApiRequest, Publication> form, Predicate<ApiRequest> batch) {
    return new Endpoint(
            HttpMethod.POST,
            path,
            Right.PUBLISH,
            Set.of("durability"),
            call -> publish(call, new BodyFormat(form, batch)))
        .conditional("If-Match", "If-None-Match");
  }

  /** Reads a request's body, and says whether it is a batch. */
  private record BodyFormat(Function<ApiRequest, Publication> read, Predicate<ApiRequest> batch) {}

  /**
   * The messages that a request publishes.
   *
   * @param batch whether the response is that of a batch; if not, there is one message
   */
  private record Publication(List<Message<byte[]>> messages, boolean batch) {}

  record DuplicateJson(int index, long sequence) {}

  record PublishedBatchJson(long first, int count, List<DuplicateJson> duplicates) {
    static PublishedBatchJson of(PublishResult result, int count) {
      List<DuplicateJson> duplicates = new ArrayList<>(result.duplicates().size());
      result.duplicates().forEach((i, at) -> duplicates.add(new DuplicateJson(i, at)));
      return new PublishedBatchJson(result.sequence(), count, duplicates);
    }
  }

  private Future<ApiResponse> publish(ApiRequest call, BodyFormat form) {
    long begun = latencies.now();
    return stored(call, form).onSuccess(answer -> latencies.published(call.name("queue"), begun));
  }

  private Future<ApiResponse> stored(ApiRequest call, BodyFormat form) {
    Durability level = durability(call);
    HostedQueue<?> queue = queues.catalog().find(call.name("queue"));
    if (queue != null && queue.mayWait()) {
      return call.on(
          waiting.run(call.access(), call.name("queue"), () -> store(call, form, level)));
    }
    if (queue == null || call.body().length() > LARGE_BYTES || PublishCondition.isIn(call)) {
      return call.blocking(() -> store(call, form, level)).compose(call::on);
    }
    return call.on(store(call, form, level));
  }

  /**
   * Stores the messages of a request. Accounts for the memory of many short messages, which is far
   * more than their lines.
   */
  private CompletableFuture<ApiResponse> store(ApiRequest call, BodyFormat form, Durability level) {
    Supplier<CompletableFuture<ApiResponse>> work =
        () -> {
          Publication publication = form.read().apply(call);
          call.access().countMessages(publication.messages().size());
          PublishCondition condition = PublishCondition.of(call, publication.messages());
          return store(call, publication, queue(call, condition), level, expected(condition));
        };
    return form.batch().test(call)
        ? call.exchange().budget().holding(MESSAGE_BYTES * PublishReader.objects(call.body()), work)
        : work.get();
  }

  /** Returns the queue, which is not created for a publish that its condition would refuse. */
  private HostedQueue<?> queue(ApiRequest call, @Nullable PublishCondition condition) {
    String name = call.name("queue");
    return queues.getOrCreateQueue(
        call.access(),
        name,
        settings -> {
          if (condition != null) {
            condition.checkNew(name, settings);
          }
        });
  }

  private static @Nullable Expected expected(@Nullable PublishCondition condition) {
    return condition == null ? null : condition.expected();
  }

  private static Durability durability(ApiRequest call) {
    String text = call.query("durability");
    return switch (text == null ? "MEMORY" : text) {
      case "MEMORY" -> Durability.MEMORY;
      case "DISK" -> Durability.DISK;
      default -> throw RequestException.field("durability", "is neither MEMORY nor DISK");
    };
  }

  private <M> CompletableFuture<ApiResponse> store(
      ApiRequest call,
      Publication publication,
      HostedQueue<M> queue,
      Durability level,
      @Nullable Expected expected) {
    if (publication.batch()) {
      List<Message<M>> messages = queue.messages(publication.messages());
      return put(queue, messages, level, expected)
          .thenApply(result -> created(PublishedBatchJson.of(result, messages.size())));
    }
    Message<M> message = queue.message(publication.messages().get(0));
    return put(queue, List.of(message), level, expected)
        .thenCompose(
            result ->
                result.duplicate()
                    ? repeated(call, queue, message, result)
                    : CompletableFuture.completedFuture(created(result, queue.queue().name())));
  }

  /** Stores messages; on a condition on this thread, which may wait. */
  private <M> CompletableFuture<PublishResult> put(
      HostedQueue<M> queue,
      List<Message<M>> messages,
      Durability level,
      @Nullable Expected expected) {
    return expected == null
        ? target.put(queue, messages, level)
        : CompletableFuture.completedFuture(queue.queue().putAllIf(expected, messages, level));
  }

  /**
   * Returns the response for a duplicate; a conflict if the stored message with the id is another
   * one.
   */
  private static <M> CompletableFuture<ApiResponse> repeated(
      ApiRequest call, HostedQueue<M> queue, Message<M> message, PublishResult result) {
    return call.blocking(
            () -> {
              if (queue.holds(result.sequence(), message)) {
                return created(result, queue.queue().name());
              }
              throw RequestException.of(
                  RequestException.Reason.CONFLICT,
                  "message %d of queue %s has the same id, but other data, key or headers"
                      .formatted(result.sequence(), queue.queue().name()));
            })
        .toCompletionStage()
        .toCompletableFuture();
  }

  /** Reads the body as the data of one message, unless it is a batch of lines. */
  private static Publication bytesOrLines(ApiRequest call) {
    if (isBatch(call)) {
      return new Publication(new PublishReader(call.body().getBytes()).lines(), true);
    }
    return new Publication(List.of(bytes(call)), false);
  }

  /** Reads the body as the data of one message. */
  static Message<byte[]> bytes(ApiRequest call) {
    @Nullable String[] own = new @Nullable String[KNOWN.size()]; // in this order
    Map<String, byte[]> headers = headers(call, own);
    MessageAttributes parts = new MessageAttributes(own[0], own[1], own[2], own[3], own[4]);
    return MessageAttributes.message(call.body().getBytes(), headers, parts);
  }

  private static Publication message(ApiRequest call) {
    return new Publication(List.of(new PublishReader(call.jsonBody()).message()), false);
  }

  private static Publication batch(ApiRequest call) {
    return new Publication(new PublishReader(call.jsonBody()).batch(), true);
  }

  private static boolean isBatch(ApiRequest call) {
    String type = call.header("Content-Type");
    if (type == null) {
      return false;
    }
    int end = type.indexOf(';');
    return (end < 0 ? type : type.substring(0, end)).trim().equalsIgnoreCase(BATCH);
  }

  /** Returns the message's headers, and sets River's own. None of those occurs twice. */
  private static Map<String, byte[]> headers(ApiRequest call, @Nullable String[] own) {
    Map<String, byte[]> headers = new LinkedHashMap<>();
    for (Map.Entry<String, String> header : call.request().headers()) {
      String name = header.getKey();
      if (name.length() > HEADER.length()
          && name.regionMatches(true, 0, HEADER, 0, HEADER.length())) {
        headers.put(
            name.substring(HEADER.length()).toLowerCase(Locale.ROOT),
            ApiRequest.bytes(header.getValue()));
      } else if (MessageHeaders.isOwn(name)) {
        int known = known(name);
        own[known] = RequestTarget.utf8(name, ByteBuffer.wrap(ApiRequest.bytes(header.getValue())));
      } else if (MessageHeaders.isKept(name, header.getValue())) {
        headers.putIfAbsent(name.toLowerCase(Locale.ROOT), ApiRequest.bytes(header.getValue()));
      }
    }
    return headers;
  }

  private static int known(String name) {
    for (int i = 0; i < KNOWN.size(); i++) {
      if (KNOWN.get(i).equalsIgnoreCase(name)) {
        return i;
      }
    }
    throw RequestException.field(
        name, "is no header of a publish; there are " + String.join(", ", KNOWN) + ", " + HEADER);
  }

  /** Writes the answer by hand, because the mapper would take longer than the publish. */
  private static ApiResponse created(PublishResult result, String queue) {
    return new ApiResponse(
        201,
        ApiResponse.JSON,
        Buffer.buffer(
            "{\"sequence\":"
                + result.sequence()
                + ",\"durability\":\""
                + result.durability()
                + "\",\"duplicate\":"
                + result.duplicate()
                + "}"),
        Map.of("Location", "/v1/queues/" + queue + "/messages/" + result.sequence()));
  }

  private static ApiResponse created(Object published) {
    return ApiResponse.json(201, ApiResponse.buffer(published));
  }

  private Future<ApiResponse> get(ApiRequest call) {
    HostedQueue<?> queue = queues.queue(call.name("queue"));
    long sequence = call.sequenceInPath();
    DataView view = DataView.of(queue, Integer.MAX_VALUE, call.answerBytes());
    return call.reading(
        readers,
        () -> ApiResponse.ok(MessageJson.message(MessageSearch.read(queue, sequence), view)));
  }

  /** Answers the data as it is: to a program, or to be saved, never as a part of a page. */
  private Future<ApiResponse> data(ApiRequest call) {
    String use = call.header("Sec-Fetch-Dest");
    if (use != null && !use.equals("empty") && !use.equals("document")) {
      throw RequestException.of(
          RequestException.Reason.FORBIDDEN, "a page cannot have data of a message as its " + use);
    }
    HostedQueue<?> queue = queues.queue(call.name("queue"));
    long sequence = call.sequenceInPath();
    return call.blocking(() -> MessageHeaders.data(MessageSearch.read(queue, sequence)));
  }

  private Future<ApiResponse> find(ApiRequest call) {
    MessageSearch search = MessageSearch.of(call);
    HostedQueue<?> queue = queues.queue(call.name("queue"));
    return call.reading(readers, () -> search.in(queue, call.answerBytes()));
  }
}
