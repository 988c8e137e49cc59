package com.wookler.river.rest.server.http;

import com.wookler.river.core.message.Message;
import com.wookler.river.core.subscriber.Settled;
import com.wookler.river.core.subscriber.Settlement;
import com.wookler.river.rest.server.hosting.AdmissionControl;
import com.wookler.river.rest.server.hosting.ContractFormat;
import com.wookler.river.rest.server.hosting.HostedQueue;
import com.wookler.river.rest.server.hosting.HostedSubscriber;
import com.wookler.river.rest.server.hosting.Json;
import com.wookler.river.rest.server.hosting.Poll;
import com.wookler.river.rest.server.hosting.PollRegistry;
import com.wookler.river.rest.server.hosting.QueueResolver;
import com.wookler.river.rest.server.hosting.RequestException;
import com.wookler.river.rest.server.hosting.Right;
import com.wookler.river.rest.server.hosting.ServerContext;
import com.wookler.river.rest.server.hosting.WaitingPublishes;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The routes for polling messages and acknowledging them by receipt. No thread waits for a message.
 */
final class DeliveryRoutes {
  private static final Logger LOG = LoggerFactory.getLogger(DeliveryRoutes.class);
  private static final String PATH = "/v1/queues/{queue}/subscribers/{subscriber}";
  private static final int MAX_TAKEN = 1_000;
  private static final int MAX_RECEIPTS = 1_000;
  private static final int MAX_RECEIPT_LENGTH = 128;
  private static final int MAX_REASON_LENGTH = 1_024;
  private static final Duration MAX_WAIT = Duration.ofSeconds(60);

  private final QueueResolver queues;
  private final WaitingPublishes waiting;
  private final PollRegistry polls;
  private final StreamRegistry streams;
  private final ConsumerRegistry consumers;
  private final AdmissionControl admission;

  DeliveryRoutes(ServerContext context, StreamRegistry streams, ConsumerRegistry consumers) {
    this.queues = context.queues();
    this.waiting = context.publishes();
    this.polls = context.polls();
    this.streams = streams;
    this.consumers = consumers;
    this.admission = context.admission();
  }

  List<Endpoint> endpoints() {
    return List.of(
        new Endpoint(
            HttpMethod.POST,
            PATH + "/deliveries",
            Right.CONSUME,
            Set.of("max", "wait", "create", "owner"),
            this::take),
        verb("/ack", Set.of(), this::ack),
        verb("/ack-up-to", Set.of(), this::ackUpTo),
        verb("/ack-and-publish", Set.of("receipt", "to"), this::ackAndPublish),
        verb("/nack", Set.of(), this::nack),
        verb("/release", Set.of(), this::release),
        verb("/reject", Set.of(), this::reject),
        verb("/extend", Set.of(), this::extend));
  }

  private static Endpoint verb(String verb, Set<String> query, Endpoint.Handler handler) {
    return new Endpoint(HttpMethod.POST, PATH + verb, Right.CONSUME, query, handler)
        .acknowledging();
  }

  record ReceiptsJson(@Nullable List<String> receipts) {}

  record NackJson(
      @Nullable List<String> receipts, @Nullable String delay, @Nullable String reason) {}

  record RejectJson(@Nullable List<String> receipts, String reason) {
    RejectJson {
      reason = Json.required("reason", reason);
    }
  }

  record ExtendJson(@Nullable List<String> receipts, String duration) {
    ExtendJson {
      duration = Json.required("duration", duration);
    }
  }

  record ResultJson(String receipt, String result) {}

  record ResultsJson(List<ResultJson> results) {}

  private Future<ApiResponse> take(ApiRequest call) {
    int max = call.query("max", 1, MAX_TAKEN);
    Duration wait = call.query("wait", Duration.ZERO, MAX_WAIT);
    Boolean create = call.flag("create");
    ensureNames(call);
    boolean waits = wait.compareTo(Duration.ZERO) > 0;
    if (waits) {
      admission.admitWaiting(call.exchange()::onEnd);
    }
    return call.blocking(() -> begin(call, create, max, wait))
        .compose(
            poll -> {
              if (waits) {
                consumers.add(call, ConsumerRegistry.Kind.POLL, poll::end);
              }
              return answer(call, poll);
            });
  }

  private Poll<?> begin(ApiRequest call, @Nullable Boolean create, int max, Duration wait) {
    QueueResolver.Subscription from =
        queues.subscription(call.access(), call.name("queue"), call.name("subscriber"), create);
    HostedSubscriber<?> subscriber = from.subscriber().by(call.query("owner"));
    return polls.begin(call.access(), from.queue(), subscriber, max, wait);
  }

  private static <M> Future<ApiResponse> answer(ApiRequest call, Poll<M> poll) {
    HttpExchange exchange = call.exchange();
    exchange.onEnd(poll::end);
    return call.on(poll.deliveries())
        .compose(
            messages -> {
              RequestException why =
                  exchange.isOver()
                      ? RequestException.of(
                          RequestException.Reason.TIMEOUT, "the caller has disconnected")
                      : poll.denial(call.access());
              if (why != null) {
                release(call, poll);
                return Future.failedFuture(why);
              }
              poll.delivered();
              exchange.onLost(() -> release(call, poll));
              return Future.succeededFuture(ApiResponse.ok(MessageJson.deliveries(messages)));
            });
  }

  private static void release(ApiRequest call, Poll<?> poll) {
    call.<Boolean>blocking(
            () -> {
              poll.release();
              return true;
            })
        .onFailure(e -> LOG.debug("Cannot release the messages of a poll", e));
  }

  private static void ensureNames(ApiRequest call) {
    call.name("queue");
    call.name("subscriber");
  }

  private Future<ApiResponse> ack(ApiRequest call) {
    return settle(call, call.body(ReceiptsJson.class).receipts(), Settlement.ack());
  }

  private Future<ApiResponse> ackUpTo(ApiRequest call) {
    return settle(call, call.body(ReceiptsJson.class).receipts(), Settlement.ackUpTo());
  }

  /** Acknowledges and publishes as one, on a thread that may wait for capacity in the queue. */
  private Future<ApiResponse> ackAndPublish(ApiRequest call) {
    List<String> receipt = checked(List.of(Json.required("receipt", call.query("receipt"))));
    String to = ContractFormat.name("to", Json.required("to", call.query("to")));
    call.mayPublish("to", to);
    ensureNames(call);
    List<Message<byte[]>> messages = new PublishReader(call.jsonBody()).batch();
    call.access().countMessages(messages.size());
    HostedQueue<?> queue = queues.queue(call.name("queue"));
    return call.on(
        waiting.run(
            call.access(),
            to,
            () ->
                CompletableFuture.completedFuture(
                    queues.withSubscriber(
                        queue,
                        call.name("subscriber"),
                        from ->
                            continued(
                                from,
                                receipt,
                                queues.getOrCreateQueue(call.access(), to),
                                messages)))));
  }

  private <M> ApiResponse continued(
      HostedSubscriber<?> from,
      List<String> receipt,
      HostedQueue<M> target,
      List<Message<byte[]>> messages) {
    List<Settled> settled =
        List.of(
            from.subscriber()
                .ackAndPublish(receipt.get(0), target.queue(), target.messages(messages)));
    notifyStreams(receipt, settled, Settlement.ack());
    return results(receipt, settled);
  }

  private Future<ApiResponse> nack(ApiRequest call) {
    NackJson asked = call.body(NackJson.class);
    Duration delay = asked.delay() == null ? null : ContractFormat.duration("delay", asked.delay());
    if (asked.reason() != null) {
      String reason = checkedReason(asked.reason());
      return settle(call, asked.receipts(), Settlement.nack(delay, reason));
    }
    return settle(
        call, asked.receipts(), delay == null ? Settlement.nack() : Settlement.nack(delay));
  }

  private static String checkedReason(String reason) {
    if (reason.isEmpty() || reason.length() > MAX_REASON_LENGTH) {
      throw RequestException.field("reason", "must have 1 to " + MAX_REASON_LENGTH + " characters");
    }
    return reason;
  }

  private Future<ApiResponse> release(ApiRequest call) {
    return settle(call, call.body(ReceiptsJson.class).receipts(), Settlement.release());
  }

  private Future<ApiResponse> reject(ApiRequest call) {
    RejectJson asked = call.body(RejectJson.class);
    String reason = checkedReason(asked.reason());
    return settle(call, asked.receipts(), Settlement.reject(reason));
  }

  private Future<ApiResponse> extend(ApiRequest call) {
    ExtendJson asked = call.body(ExtendJson.class);
    Duration time = ContractFormat.duration("duration", asked.duration());
    if (time.isZero()) {
      throw RequestException.field("duration", "is zero");
    }
    return settle(call, asked.receipts(), Settlement.extend(time));
  }

  private Future<ApiResponse> settle(
      ApiRequest call, @Nullable List<String> receipts, Settlement settlement) {
    List<String> checked = checked(receipts);
    ensureNames(call);
    HostedQueue<?> queue = queues.queue(call.name("queue"));
    return call.blocking(
        () ->
            queues.withSubscriber(
                queue,
                call.name("subscriber"),
                hosted -> {
                  List<Settled> settled = hosted.subscriber().settle(checked, settlement);
                  notifyStreams(checked, settled, settlement);
                  return results(checked, settled);
                }));
  }

  /**
   * Notifies streams of acknowledgements. A receipt that is unknown to this subscriber may be
   * another one's, whose stream still waits for it.
   */
  private void notifyStreams(List<String> receipts, List<Settled> settled, Settlement settlement) {
    for (int i = 0; i < receipts.size(); i++) {
      if (settled.get(i) == Settled.UNKNOWN) {
        continue;
      }
      if (settlement instanceof Settlement.Extend extend) {
        streams.extended(receipts.get(i), extend.time());
      } else {
        streams.settled(receipts.get(i));
      }
    }
  }

  private static List<String> checked(@Nullable List<String> receipts) {
    if (receipts == null || receipts.isEmpty() || receipts.size() > MAX_RECEIPTS) {
      throw RequestException.field("receipts", "must have 1 to " + MAX_RECEIPTS + " elements");
    }
    for (String receipt : receipts) {
      if (receipt == null || receipt.isEmpty() || receipt.length() > MAX_RECEIPT_LENGTH) {
        throw RequestException.field(
            "receipts", "each must have 1 to " + MAX_RECEIPT_LENGTH + " characters");
      }
    }
    return receipts;
  }

  private static ApiResponse results(List<String> receipts, List<Settled> settled) {
    List<ResultJson> results = new ArrayList<>(receipts.size());
    for (int i = 0; i < receipts.size(); i++) {
      results.add(new ResultJson(receipts.get(i), settled.get(i).name().toLowerCase(Locale.ROOT)));
    }
    return ApiResponse.ok(ApiResponse.buffer(new ResultsJson(results)));
  }
}
