package com.wookler.river.rest.server;

import com.wookler.river.core.PublishResult;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.subscriber.Delivery;
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

  private final Offers offers;
  private final WorkerExecutor patient;
  private final Latencies latencies;
  private final Sink sink;

  /**
   * @param patient threads on which publishers wait for room
   */
  MessageRoutes(Offers offers, Sink sink, WorkerExecutor patient, Latencies latencies) {
    this.offers = offers;
    this.sink = sink;
    this.patient = patient;
    this.latencies = latencies;
  }

  List<Endpoint> endpoints() {
    return List.of(
        publishing(PATH, MessageRoutes::bytesOrLines),
        publishing(QUEUE + "/publish", MessageRoutes::message),
        publishing(QUEUE + "/publish-batch", MessageRoutes::batch),
        new Endpoint(
            HttpMethod.GET, PATH, Right.CONSUME, Set.of("from", "max", "at", "key"), this::find),
        new Endpoint(HttpMethod.GET, PATH + "/{sequence}", Right.CONSUME, Set.of(), this::get));
  }

  private Endpoint publishing(String path, Function<Call, Publication> form) {
    return new Endpoint(
        HttpMethod.POST, path, Right.PUBLISH, Set.of("durability"), call -> publish(call, form));
  }

  /**
   * What a request publishes.
   *
   * @param batch whether the answer is that of a batch; if not, there is one message
   */
  private record Publication(List<Message<byte[]>> messages, boolean batch) {}

  record PublishedJson(long sequence, Durability durability, boolean duplicate) {}

  record DuplicateJson(int index, long sequence) {}

  record PublishedBatchJson(long first, int count, List<DuplicateJson> duplicates) {
    static PublishedBatchJson of(List<PublishResult> results) {
      List<DuplicateJson> duplicates = new ArrayList<>();
      for (int i = 0; i < results.size(); i++) {
        if (results.get(i).duplicate()) {
          duplicates.add(new DuplicateJson(i, results.get(i).sequence()));
        }
      }
      return new PublishedBatchJson(results.get(0).sequence(), results.size(), duplicates);
    }
  }

  private Future<Answer> publish(Call call, Function<Call, Publication> form) {
    long begun = latencies.now();
    return stored(call, form).onSuccess(answer -> latencies.published(call.name("queue"), begun));
  }

  private Future<Answer> stored(Call call, Function<Call, Publication> form) {
    Durability level = durability(call);
    HostedQueue<?> queue = offers.catalog().find(call.name("queue"));
    if (queue != null && queue.mayWait()) {
      return call.blocking(patient, () -> store(form.apply(call), queue, level)).compose(call::on);
    }
    if (queue == null || call.body().length() > LARGE_BYTES) {
      return call.blocking(() -> store(form.apply(call), offers.queueOrNew(call), level))
          .compose(call::on);
    }
    return call.on(store(form.apply(call), queue, level));
  }

  private static Durability durability(Call call) {
    String text = call.query("durability");
    return switch (text == null ? "MEMORY" : text) {
      case "MEMORY" -> Durability.MEMORY;
      case "DISK" -> Durability.DISK;
      default -> throw Problem.field("durability", "is neither MEMORY nor DISK");
    };
  }

  private <M> CompletableFuture<Answer> store(
      Publication publication, HostedQueue<M> queue, Durability level) {
    if (publication.batch()) {
      return sink.putAll(queue, queue.messages(publication.messages()), level)
          .thenApply(results -> created(PublishedBatchJson.of(results)));
    }
    return sink.put(queue, queue.message(publication.messages().get(0)), level)
        .thenApply(MessageRoutes::created);
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
    return Answer.json(201, Json.write(published));
  }

  private Future<Answer> get(Call call) {
    return get(call, offers.queue(call), call.sequenceInPath());
  }

  private static <M> Future<Answer> get(Call call, HostedQueue<M> queue, long sequence) {
    return call.blocking(
        () -> {
          Optional<Delivery<M>> found = queue.queue().read(sequence);
          if (found.isEmpty()) {
            throw Problem.of(
                Problem.Kind.NOT_FOUND,
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
      throw Problem.field("from", "exactly one of from, at and key is needed");
    }
    if (from == null && call.query("max") != null) {
      throw Problem.field("max", "goes with from only");
    }
    int max = call.query("max", 1, MOST_FOUND);
    long first = from == null ? -1 : Text.number("from", from, 0, Long.MAX_VALUE);
    HostedQueue<?> queue = offers.queue(call);
    return call.blocking(() -> found(queue, new Wanted(first, max, at, key)));
  }

  /** What is looked for: by sequence, unless there is a time or a key. */
  private record Wanted(long from, int max, @Nullable Instant at, @Nullable String key) {}

  private static <M> Answer found(HostedQueue<M> queue, Wanted wanted) {
    List<Delivery<M>> found;
    if (wanted.key != null) {
      found = queue.queue().latest(wanted.key).stream().toList();
    } else if (wanted.at != null) {
      OptionalLong sequence = queue.queue().sequenceAt(wanted.at);
      found = sequence.isEmpty() ? List.of() : queue.queue().read(sequence.getAsLong(), 1);
    } else {
      found = queue.queue().read(wanted.from, wanted.max);
    }
    return Answer.ok(MessageJson.messages(found));
  }
}
