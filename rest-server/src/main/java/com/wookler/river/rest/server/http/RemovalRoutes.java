package com.wookler.river.rest.server.http;

import com.wookler.river.core.CancelResult;
import com.wookler.river.core.EraseResult;
import com.wookler.river.core.Trim;
import com.wookler.river.core.message.Message;
import com.wookler.river.rest.server.hosting.ContractFormat;
import com.wookler.river.rest.server.hosting.HostedQueue;
import com.wookler.river.rest.server.hosting.Json;
import com.wookler.river.rest.server.hosting.QueueResolver;
import com.wookler.river.rest.server.hosting.RequestException;
import com.wookler.river.rest.server.hosting.Right;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The routes that take messages back: who may publish may cancel and replace, an administrator may
 * remove ranges, trim and erase.
 */
final class RemovalRoutes {
  private static final String QUEUE = "/v1/queues/{queue}";
  private static final String PATH = QUEUE + "/messages";
  private static final String MESSAGE = PATH + "/{sequence}";
  private static final int MAX_SEQUENCES = 1_000;
  private static final List<String> TRIMS = List.of("before", "olderThan", "bytes", "messages");

  private final QueueResolver queues;

  RemovalRoutes(QueueResolver queues) {
    this.queues = queues;
  }

  List<Endpoint> endpoints() {
    return List.of(
        new Endpoint(HttpMethod.DELETE, MESSAGE, Right.PUBLISH, Set.of(), this::cancel),
        new Endpoint(HttpMethod.DELETE, PATH, Right.PUBLISH, Set.of("id", "key"), this::cancelAll),
        new Endpoint(HttpMethod.PUT, MESSAGE, Right.PUBLISH, Set.of(), this::replace),
        new Endpoint(HttpMethod.PUT, PATH, Right.PUBLISH, Set.of("id"), this::replaceById),
        new Endpoint(
            HttpMethod.POST, QUEUE + "/remove", Right.ADMIN, Set.of("from", "end"), this::remove),
        new Endpoint(HttpMethod.POST, QUEUE + "/trim", Right.ADMIN, Set.copyOf(TRIMS), this::trim),
        new Endpoint(
            HttpMethod.POST, QUEUE + "/erase", Right.ADMIN, Set.of("sequence"), this::erase),
        new Endpoint(
            HttpMethod.POST, QUEUE + "/erase-batch", Right.ADMIN, Set.of(), this::eraseBatch));
  }

  record CancelledJson(CancelResult result) {}

  record RemovedJson(long removed) {}

  record ErasedJson(long bytes) {}

  record SequencesJson(@Nullable List<@Nullable Long> sequences) {}

  record EraseResultJson(long sequence, String result) {}

  record ErasedBatchJson(long bytes, List<EraseResultJson> results) {}

  private static Future<ApiResponse> answer(ApiRequest call, Supplier<Object> work) {
    return call.blocking(() -> ApiResponse.ok(ApiResponse.buffer(work.get())));
  }

  private Future<ApiResponse> cancel(ApiRequest call) {
    HostedQueue<?> queue = queues.queue(call.name("queue"));
    long sequence = call.sequenceInPath();
    return answer(call, () -> new CancelledJson(queue.queue().tryCancel(sequence)));
  }

  private Future<ApiResponse> cancelAll(ApiRequest call) {
    String id = call.query("id");
    String key = call.query("key");
    HostedQueue<?> queue = queues.queue(call.name("queue"));
    if (id != null && key == null) {
      return answer(call, () -> new CancelledJson(queue.queue().tryCancelById(id)));
    }
    if (key == null || id != null) {
      throw RequestException.field("id", "exactly one of id and key is required");
    }
    return answer(call, () -> new CancelledJson(queue.queue().tryCancelByKey(key)));
  }

  private Future<ApiResponse> replace(ApiRequest call) {
    return replace(call, queues.queue(call.name("queue")), call.sequenceInPath());
  }

  private <M> Future<ApiResponse> replace(ApiRequest call, HostedQueue<M> queue, long sequence) {
    Message<M> message = message(call, queue);
    return answer(call, () -> queue.queue().tryReplace(sequence, message));
  }

  private static <M> Message<M> message(ApiRequest call, HostedQueue<M> queue) {
    Message<M> message = queue.message(MessageRoutes.bytes(call));
    call.access().countMessages(1);
    return message;
  }

  private Future<ApiResponse> replaceById(ApiRequest call) {
    String id = Json.required("id", call.query("id"));
    return replace(call, queues.queue(call.name("queue")), id);
  }

  private <M> Future<ApiResponse> replace(ApiRequest call, HostedQueue<M> queue, String id) {
    Message<M> message = message(call, queue);
    return answer(call, () -> queue.queue().tryReplace(id, message));
  }

  private Future<ApiResponse> remove(ApiRequest call) {
    long from = sequence(call, "from");
    long end = sequence(call, "end");
    HostedQueue<?> queue = queues.queue(call.name("queue"));
    if (end < from) {
      throw RequestException.field("end", "is " + end + ", before from, which is " + from);
    }
    return answer(call, () -> new RemovedJson(queue.queue().delete(from, end)));
  }

  private Future<ApiResponse> erase(ApiRequest call) {
    long sequence = sequence(call, "sequence");
    HostedQueue<?> queue = queues.queue(call.name("queue"));
    return answer(call, () -> new ErasedJson(queue.queue().erase(sequence)));
  }

  private Future<ApiResponse> eraseBatch(ApiRequest call) {
    List<Long> sequences = checked(call.body(SequencesJson.class).sequences());
    HostedQueue<?> queue = queues.queue(call.name("queue"));
    return answer(
        call,
        () -> {
          EraseResult done = queue.queue().tryErase(sequences);
          return new ErasedBatchJson(
              done.bytes(),
              sequences.stream()
                  .map(each -> new EraseResultJson(each, result(done.erased().contains(each))))
                  .toList());
        });
  }

  private static String result(boolean erased) {
    return erased ? "erased" : "absent";
  }

  private static List<Long> checked(@Nullable List<@Nullable Long> sequences) {
    if (sequences == null || sequences.isEmpty() || sequences.size() > MAX_SEQUENCES) {
      throw RequestException.field("sequences", "must have 1 to " + MAX_SEQUENCES + " elements");
    }
    List<Long> checked = new ArrayList<>(sequences.size());
    for (Long sequence : sequences) {
      if (sequence == null || sequence < 0) {
        throw RequestException.field("sequences", "each must be a number, 0 or more");
      }
      checked.add(sequence);
    }
    return checked;
  }

  private static long sequence(ApiRequest call, String parameter) {
    return number(parameter, Json.required(parameter, call.query(parameter)));
  }

  private static long number(String parameter, String text) {
    return ContractFormat.number(parameter, text, 0, Long.MAX_VALUE);
  }

  private Future<ApiResponse> trim(ApiRequest call) {
    List<Trim> asked =
        TRIMS.stream()
            .flatMap(by -> Stream.ofNullable(call.query(by)).map(text -> trim(by, text)))
            .toList();
    if (asked.size() != 1) {
      throw RequestException.field("before", "exactly one of " + TRIMS + " is required");
    }
    HostedQueue<?> queue = queues.queue(call.name("queue"));
    return answer(call, () -> new RemovedJson(queue.queue().trim(asked.get(0))));
  }

  private static Trim trim(String by, String value) {
    return switch (by) {
      case "before" -> Trim.before(number(by, value));
      case "olderThan" -> Trim.olderThan(ContractFormat.duration(by, value));
      case "bytes" -> Trim.toBytes(number(by, value));
      default -> Trim.toCount(number(by, value));
    };
  }
}
