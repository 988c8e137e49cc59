package com.wookler.river.rest.server.http;

import com.wookler.river.core.PublishResult;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.rest.server.hosting.Bounded;
import com.wookler.river.rest.server.hosting.HostedQueue;
import com.wookler.river.rest.server.hosting.Hosting;
import com.wookler.river.rest.server.hosting.Latencies;
import com.wookler.river.rest.server.hosting.QueueResolver;
import com.wookler.river.rest.server.hosting.RequestException;
import com.wookler.river.rest.server.hosting.Right;
import com.wookler.river.rest.server.hosting.Sink;
import com.wookler.river.rest.server.hosting.Text;
import com.wookler.river.rest.server.hosting.WaitingPublishes;
import io.vertx.core.Future;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.http.HttpMethod;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Publishing, and looking messages up.
 *
 * <p>A publish runs on the event loop: it appends and never waits, and what waits for the device is
 * completed by the queue. Only where the queue may let a publisher wait for room, where it has to
 * be made first, or where the body is large, a thread that may block does it.
 */
final class MessageRoutes {
  private static final String QUEUE = "/v1/queues/{queue}";
  private static final String PATH = QUEUE + "/messages";
  private static final String HEADER = "river-header-";
  private static final String BATCH = "application/x-ndjson";
  private static final int LARGE_BYTES = 64 << 10;
  private static final int MOST_FOUND = 1_000;
  private static final long MESSAGE_BYTES = 400L; // of a batch's message, besides its data

  private final QueueResolver queues;
  private final WaitingPublishes waiting;
  private final WorkerExecutor readers;
  private final Latencies latencies;
  private final Sink sink;

  /**
   * @param readers threads on which many messages are read
   */
  MessageRoutes(Hosting hosting, WorkerExecutor readers) {
    this.readers = readers;
    this.queues = hosting.queues();
    this.sink = hosting.sink();
    this.waiting = hosting.publishes();
    this.latencies = hosting.polls().latencies();
  }

  List<Endpoint> endpoints() {
    return List.of(
        publishing(PATH, MessageRoutes::bytesOrLines, MessageRoutes::isBatch),
        publishing(QUEUE + "/publish", MessageRoutes::message, call -> false),
        publishing(QUEUE + "/publish-batch", MessageRoutes::batch, call -> true),
        new Endpoint(
            HttpMethod.GET, PATH, Right.CONSUME, Set.of("from", "max", "at", "key"), this::find),
        new Endpoint(HttpMethod.GET, PATH + "/{sequence}", Right.CONSUME, Set.of(), this::get));
  }

  private Endpoint publishing(
      String path, Function<Call, Publication> form, Predicate<Call> batch) {
    return new Endpoint(
        HttpMethod.POST,
        path,
        Right.PUBLISH,
        Set.of("durability"),
        call -> publish(call, new Form(form, batch)));
  }

  /** How a request's body is read, and whether it is one of many messages. */
  private record Form(Function<Call, Publication> read, Predicate<Call> batch) {}

  /**
   * What a request publishes.
   *
   * @param batch whether the answer is that of a batch; if not, there is one message
   */
  private record Publication(List<Message<byte[]>> messages, boolean batch) {}

  record PublishedJson(long sequence, Durability durability, boolean duplicate) {}

  record DuplicateJson(int index, long sequence) {}

  record PublishedBatchJson(long first, int count, List<DuplicateJson> duplicates) {
    static PublishedBatchJson of(PublishResult result, int count) {
      List<DuplicateJson> duplicates = new ArrayList<>(result.duplicates().size());
      result.duplicates().forEach((i, at) -> duplicates.add(new DuplicateJson(i, at)));
      return new PublishedBatchJson(result.sequence(), count, duplicates);
    }
  }

  private Future<Answer> publish(Call call, Form form) {
    long begun = latencies.now();
    return stored(call, form).onSuccess(answer -> latencies.published(call.name("queue"), begun));
  }

  private Future<Answer> stored(Call call, Form form) {
    Durability level = durability(call);
    HostedQueue<?> queue = queues.catalog().find(call.name("queue"));
    if (queue != null && queue.mayWait()) {
      return call.on(
          waiting.run(call.access(), call.name("queue"), () -> store(call, form, level)));
    }
    if (queue == null || call.body().length() > LARGE_BYTES) {
      return call.blocking(() -> store(call, form, level)).compose(call::on);
    }
    return call.on(store(call, form, level));
  }

  /** Counts what many short messages need in memory, which is far more than their lines. */
  private CompletableFuture<Answer> store(Call call, Form form, Durability level) {
    Supplier<CompletableFuture<Answer>> work =
        () ->
            store(
                call,
                form.read().apply(call),
                queues.queueOrNew(call.access(), call.name("queue")),
                level);
    return form.batch().test(call)
        ? call.exchange().budget().holding(MESSAGE_BYTES * PublishReader.objects(call.body()), work)
        : work.get();
  }

  private static Durability durability(Call call) {
    String text = call.query("durability");
    return switch (text == null ? "MEMORY" : text) {
      case "MEMORY" -> Durability.MEMORY;
      case "DISK" -> Durability.DISK;
      default -> throw RequestException.field("durability", "is neither MEMORY nor DISK");
    };
  }

  private <M> CompletableFuture<Answer> store(
      Call call, Publication publication, HostedQueue<M> queue, Durability level) {
    if (publication.batch()) {
      List<Message<M>> messages = queue.messages(publication.messages());
      return sink.put(queue, messages, level)
          .thenApply(result -> created(PublishedBatchJson.of(result, messages.size())));
    }
    Message<M> message = queue.message(publication.messages().get(0));
    return sink.put(queue, List.of(message), level)
        .thenCompose(
            result ->
                result.duplicate()
                    ? repeated(call, queue, message, result)
                    : CompletableFuture.completedFuture(created(result)));
  }

  /** An id that is there already makes this a repetition, unless it belongs to another message. */
  private static <M> CompletableFuture<Answer> repeated(
      Call call, HostedQueue<M> queue, Message<M> message, PublishResult result) {
    return call.blocking(
            () -> {
              if (queue.holds(result.sequence(), message)) {
                return created(result);
              }
              throw RequestException.of(
                  RequestException.Reason.CONFLICT,
                  "message %d of queue %s has the same id, and other data, key or headers"
                      .formatted(result.sequence(), queue.queue().name()));
            })
        .toCompletionStage()
        .toCompletableFuture();
  }

  /** The body as it is, unless it is a batch of lines. */
  private static Publication bytesOrLines(Call call) {
    byte[] body = call.body().getBytes();
    if (isBatch(call)) {
      return new Publication(new PublishReader(body).lines(), true);
    }
    MessageParts parts =
        new MessageParts(
            call.text("River-Key"),
            call.text("River-Id"),
            call.text("River-Delay"),
            call.text("River-Expires"));
    return new Publication(List.of(MessageParts.message(body, headers(call), parts)), false);
  }

  private static Publication message(Call call) {
    return new Publication(List.of(new PublishReader(call.jsonBody()).message()), false);
  }

  private static Publication batch(Call call) {
    return new Publication(new PublishReader(call.jsonBody()).batch(), true);
  }

  private static boolean isBatch(Call call) {
    String type = call.header("Content-Type");
    return type != null && type.split(";", 2)[0].trim().equalsIgnoreCase(BATCH);
  }

  private static Map<String, byte[]> headers(Call call) {
    Map<String, byte[]> headers = new LinkedHashMap<>();
    for (Map.Entry<String, String> header : call.request().headers()) {
      String name = header.getKey().toLowerCase(Locale.ROOT);
      if (name.startsWith(HEADER) && name.length() > HEADER.length()) {
        headers.put(name.substring(HEADER.length()), Call.bytes(header.getValue()));
      }
    }
    return headers;
  }

  private static Answer created(PublishResult result) {
    return created(new PublishedJson(result.sequence(), result.durability(), result.duplicate()));
  }

  private static Answer created(Object published) {
    return Answer.json(201, Answer.buffer(published));
  }

  private Future<Answer> get(Call call) {
    return get(call, queues.queue(call.name("queue")), call.sequenceInPath());
  }

  private static <M> Future<Answer> get(Call call, HostedQueue<M> queue, long sequence) {
    return call.blocking(
        () -> {
          Optional<Delivery<M>> found = queue.queue().read(sequence);
          if (found.isEmpty()) {
            throw RequestException.of(
                RequestException.Reason.NOT_FOUND,
                "queue " + queue.queue().name() + " has no message " + sequence);
          }
          return Answer.ok(MessageJson.message(found.get()));
        });
  }

  private Future<Answer> find(Call call) {
    String from = call.query("from");
    Instant at = call.time("at");
    String key = call.query("key");
    if ((from != null ? 1 : 0) + (at != null ? 1 : 0) + (key != null ? 1 : 0) != 1) {
      throw RequestException.field("from", "exactly one of from, at and key is needed");
    }
    if (from == null && call.query("max") != null) {
      throw RequestException.field("max", "goes with from only");
    }
    int max = call.query("max", 1, MOST_FOUND);
    long first = from == null ? -1 : Text.number("from", from, 0, Long.MAX_VALUE);
    HostedQueue<?> queue = queues.queue(call.name("queue"));
    Wanted wanted = new Wanted(first, max, at, key);
    return max == 1
        ? call.blocking(() -> found(queue, wanted, Long.MAX_VALUE))
        : call.reading(readers, () -> found(queue, wanted, call.answerBytes()));
  }

  /** What is looked for: by sequence, unless there is a time or a key. */
  private record Wanted(long from, int max, @Nullable Instant at, @Nullable String key) {}

  private static <M> Answer found(HostedQueue<M> queue, Wanted wanted, long bytes) {
    List<Delivery<M>> found;
    if (wanted.key != null) {
      found = queue.queue().latest(wanted.key).stream().toList();
    } else if (wanted.at != null) {
      OptionalLong sequence = queue.queue().sequenceAt(wanted.at);
      found = sequence.isEmpty() ? List.of() : queue.queue().read(sequence.getAsLong(), 1);
    } else {
      found = Bounded.read(wanted.from, wanted.max, bytes, queue.queue()::read);
    }
    return Answer.ok(MessageJson.messages(found));
  }
}
