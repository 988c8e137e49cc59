package com.wookler.river.rest.server.http;

import com.wookler.river.core.subscriber.Settled;
import com.wookler.river.core.subscriber.Settlement;
import com.wookler.river.rest.server.hosting.HostedQueue;
import com.wookler.river.rest.server.hosting.Json;
import com.wookler.river.rest.server.hosting.Load;
import com.wookler.river.rest.server.hosting.Poll;
import com.wookler.river.rest.server.hosting.Polls;
import com.wookler.river.rest.server.hosting.QueueResolver;
import com.wookler.river.rest.server.hosting.RequestException;
import com.wookler.river.rest.server.hosting.Right;
import com.wookler.river.rest.server.hosting.Text;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Taking messages by long poll, and settling them by receipt. No thread waits for a message. */
final class DeliveryRoutes {
  private static final Logger LOG = LoggerFactory.getLogger(DeliveryRoutes.class);
  private static final String PATH = "/v1/queues/{queue}/subscribers/{subscriber}";
  private static final int MOST_TAKEN = 1_000;
  private static final int MOST_RECEIPTS = 1_000;
  private static final int MOST_RECEIPT_LENGTH = 128;
  private static final int MOST_REASON_LENGTH = 1_024;
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(60);

  private final QueueResolver queues;
  private final Polls polls;
  private final Streams streams;
  private final Load load;

  DeliveryRoutes(QueueResolver queues, Polls polls, Streams streams, Load load) {
    this.queues = queues;
    this.polls = polls;
    this.streams = streams;
    this.load = load;
  }

  List<Endpoint> endpoints() {
    return List.of(
        new Endpoint(
            HttpMethod.POST,
            PATH + "/deliveries",
            Right.CONSUME,
            Set.of("max", "wait", "create"),
            this::take),
        verb("/ack", this::ack),
        verb("/ack-up-to", this::ackUpTo),
        verb("/nack", this::nack),
        verb("/release", this::release),
        verb("/reject", this::reject),
        verb("/extend", this::extend));
  }

  private static Endpoint verb(String verb, Endpoint.Handler handler) {
    return new Endpoint(HttpMethod.POST, PATH + verb, Right.CONSUME, Set.of(), handler);
  }

  record ReceiptsJson(@Nullable List<String> receipts) {}

  record NackJson(@Nullable List<String> receipts, @Nullable String delay) {}

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

  private Future<Answer> take(Call call) {
    int max = call.query("max", 1, MOST_TAKEN);
    Duration wait = call.query("wait", Duration.ZERO, LONGEST_WAIT);
    Boolean create = call.flag("create");
    ensureNames(call);
    if (wait.compareTo(Duration.ZERO) > 0) {
      load.beginWaiting(call.exchange()::whenOver);
    }
    return call.blocking(() -> begin(call, create, max, wait)).compose(poll -> answer(call, poll));
  }

  private Poll<?> begin(Call call, @Nullable Boolean create, int max, Duration wait) {
    QueueResolver.Taken from =
        queues.taken(call.access(), call.name("queue"), call.name("subscriber"), create);
    return polls.begin(call.access(), from.queue(), from.subscriber(), max, wait);
  }

  private static <M> Future<Answer> answer(Call call, Poll<M> poll) {
    Exchange exchange = call.exchange();
    exchange.whenOver(poll::end);
    return call.on(poll.deliveries())
        .compose(
            messages -> {
              RequestException why =
                  exchange.isOver()
                      ? RequestException.of(RequestException.Reason.TIMEOUT, "the caller has gone")
                      : poll.refusal(call.access());
              if (why != null) {
                giveBack(call, poll);
                return Future.failedFuture(why);
              }
              poll.delivered();
              exchange.ifLost(() -> giveBack(call, poll));
              return Future.succeededFuture(Answer.ok(MessageJson.deliveries(messages)));
            });
  }

  private static void giveBack(Call call, Poll<?> poll) {
    call.<Boolean>blocking(
            () -> {
              poll.giveBack();
              return true;
            })
        .onFailure(e -> LOG.debug("Cannot give back what a poll had", e));
  }

  private static void ensureNames(Call call) {
    call.name("queue");
    call.name("subscriber");
  }

  private Future<Answer> ack(Call call) {
    return settle(call, call.body(ReceiptsJson.class).receipts(), Settlement.ack());
  }

  private Future<Answer> ackUpTo(Call call) {
    return settle(call, call.body(ReceiptsJson.class).receipts(), Settlement.ackUpTo());
  }

  private Future<Answer> nack(Call call) {
    NackJson asked = call.body(NackJson.class);
    return settle(
        call,
        asked.receipts(),
        asked.delay() == null
            ? Settlement.nack()
            : Settlement.nack(Text.duration("delay", asked.delay())));
  }

  private Future<Answer> release(Call call) {
    return settle(call, call.body(ReceiptsJson.class).receipts(), Settlement.release());
  }

  private Future<Answer> reject(Call call) {
    RejectJson asked = call.body(RejectJson.class);
    String reason = asked.reason();
    if (reason.isEmpty() || reason.length() > MOST_REASON_LENGTH) {
      throw RequestException.field(
          "reason", "1 to " + MOST_REASON_LENGTH + " characters are needed");
    }
    return settle(call, asked.receipts(), Settlement.reject(reason));
  }

  private Future<Answer> extend(Call call) {
    ExtendJson asked = call.body(ExtendJson.class);
    Duration time = Text.duration("duration", asked.duration());
    if (time.isZero()) {
      throw RequestException.field("duration", "is zero");
    }
    return settle(call, asked.receipts(), Settlement.extend(time));
  }

  private Future<Answer> settle(Call call, @Nullable List<String> receipts, Settlement settlement) {
    List<String> checked = checked(receipts);
    ensureNames(call);
    HostedQueue<?> queue = queues.queue(call.name("queue"));
    return call.blocking(
        () ->
            queues.with(
                queue,
                call.name("subscriber"),
                hosted -> {
                  List<Settled> settled = hosted.subscriber().settle(checked, settlement);
                  tellStreams(checked, settled, settlement);
                  return results(checked, settled);
                }));
  }

  /** What this subscriber never handed out may be another's, whose stream still waits for it. */
  private void tellStreams(List<String> receipts, List<Settled> settled, Settlement settlement) {
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
    if (receipts == null || receipts.isEmpty() || receipts.size() > MOST_RECEIPTS) {
      throw RequestException.field("receipts", "1 to " + MOST_RECEIPTS + " are needed");
    }
    for (String receipt : receipts) {
      if (receipt == null || receipt.isEmpty() || receipt.length() > MOST_RECEIPT_LENGTH) {
        throw RequestException.field(
            "receipts", "one is not of 1 to " + MOST_RECEIPT_LENGTH + " characters");
      }
    }
    return receipts;
  }

  private static Answer results(List<String> receipts, List<Settled> settled) {
    List<ResultJson> results = new ArrayList<>(receipts.size());
    for (int i = 0; i < receipts.size(); i++) {
      results.add(new ResultJson(receipts.get(i), settled.get(i).name().toLowerCase(Locale.ROOT)));
    }
    return Answer.ok(Answer.buffer(new ResultsJson(results)));
  }
}
