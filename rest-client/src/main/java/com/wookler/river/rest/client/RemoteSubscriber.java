package com.wookler.river.rest.client;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A durable, named subscriber of a queue of a server.
 *
 * <p>Several consumers may share a subscriber; each message goes to one of them. A message that was
 * delivered and is not acknowledged is delivered again after the subscriber's acknowledgement
 * timeout, to the next consumer that polls.
 *
 * <p>With several servers, a poll asks each of them in turn. It throws only if none can be reached.
 *
 * <p>Thread-safe.
 */
public final class RemoteSubscriber {
  private static final int MOST_RECEIPTS = 1_000;

  private final RequestSender caller;
  private final String queue;
  private final String name;
  private final String path;
  private final @Nullable String owner;

  RemoteSubscriber(RequestSender caller, String queue, String name) {
    this(caller, queue, name, null);
  }

  private RemoteSubscriber(
      RequestSender caller, String queue, String name, @Nullable String owner) {
    this.owner = owner;
    this.caller = caller;
    this.queue = queue;
    this.name = name;
    this.path = Paths.subscriber(queue, name);
  }

  /** Returns the name of the subscriber, unique in its queue. */
  public String name() {
    return name;
  }

  /** Returns the name of the queue. */
  public String queue() {
    return queue;
  }

  String path() {
    return path;
  }

  /** Returns the part of a query that names the owner, if there is one. */
  String ownerInQuery() {
    return owner == null ? "" : "&owner=" + Paths.query(owner);
  }

  /**
   * Returns this subscriber for polls and streams by an owner. An exclusive subscriber delivers to
   * one owner at a time: until that releases its lease, or has neither polled nor acknowledged for
   * as long as the lease. Another that polls waits for that, takes it, and is given what the one
   * before had not acknowledged.
   *
   * @param name 1 to 128 characters
   */
  public RemoteSubscriber owner(String name) {
    return new RemoteSubscriber(caller, queue, this.name, name);
  }

  /**
   * Takes the lease for this {@link #owner}, or renews it, without taking a message. Returns false
   * if another owner has it, which {@link #info} names.
   *
   * @throws IllegalStateException there is no owner
   */
  public boolean renewLease() {
    SubscriberInfo info = caller.callOne(Request.put(leasePath())).as(SubscriberInfo.class);
    return info.lease() != null && info.lease().owner().equals(owner);
  }

  /**
   * Releases the lease of this {@link #owner}, if it has it, so that another takes it at once.
   *
   * @throws IllegalStateException there is no owner
   */
  public void releaseLease() {
    caller.callOne(Request.delete(leasePath()));
  }

  private String leasePath() {
    if (owner == null) {
      throw new IllegalStateException("polls without an owner have no lease");
    }
    return path + "/lease?owner=" + Paths.query(owner);
  }

  RequestSender caller() {
    return caller;
  }

  /** Returns the next message, or null if there is none now. */
  public @Nullable RemoteDelivery next() {
    try {
      return next(Duration.ZERO);
    } catch (InterruptedException e) {
      throw Transport.interrupted(e);
    }
  }

  /**
   * Returns the next message, and waits for it if there is none.
   *
   * @return null if none came in time
   * @throws InterruptedException the thread was interrupted while it waited; a message that the
   *     server may have delivered is delivered again after the acknowledgement timeout
   */
  public @Nullable RemoteDelivery next(Duration timeout) throws InterruptedException {
    List<RemoteDelivery> batch = batch(1, timeout);
    return batch.isEmpty() ? null : batch.get(0);
  }

  /**
   * Returns the available messages, up to a number, and waits only while there is none.
   *
   * @param max 1 to 1,000
   * @return empty if none came in time
   * @throws InterruptedException as in {@link #next(Duration)}
   */
  public List<RemoteDelivery> batch(int max, Duration timeout) throws InterruptedException {
    return poll(max, timeout).runBlocking();
  }

  /**
   * Returns the available messages, up to a number, without a thread that waits. If the future is
   * cancelled, the poll is aborted, and messages that have begun to arrive are released; what the
   * server had sent and has not arrived yet is delivered again after the acknowledgement timeout.
   *
   * @param max 1 to 1,000
   */
  public CompletableFuture<List<RemoteDelivery>> batchAsync(int max, Duration timeout) {
    return poll(max, timeout).run();
  }

  private Poll poll(int max, Duration timeout) {
    if (max < 1 || max > MOST_RECEIPTS) {
      throw new IllegalArgumentException("a batch of " + max + "; 1 to 1,000 are allowed");
    }
    return new Poll(this, max, timeout);
  }

  /**
   * Delivers messages to a handler as they arrive, until the stream is closed, with at most 100 not
   * acknowledged.
   *
   * @see #stream(int, Consumer)
   */
  public DeliveryStream stream(Consumer<RemoteDelivery> handler) {
    return stream(100, handler);
  }

  /**
   * Delivers messages to a handler as they arrive, until the stream is closed: over one connection
   * to each server, which is opened again after a pause when it breaks. Messages that were not
   * acknowledged then are delivered again.
   *
   * @param credit how many messages may be delivered and not acknowledged at each server, 1 to
   *     10,000; the server sends no more
   * @param handler gets each message, one after the other, on a thread of the client; with several
   *     servers, one from each at the same time. It acknowledges the message, then or later. If it
   *     throws, the message is returned as by {@link RemoteDelivery#nack()}: configure a backoff
   *     and a limit on deliveries for a subscriber whose handler may throw, or one message can be
   *     delivered again and again before all others
   */
  public DeliveryStream stream(int credit, Consumer<RemoteDelivery> handler) {
    return DeliveryStream.start(this, credit, handler, () -> {});
  }

  /** Creates an acknowledger that collects acknowledgements into batches, with default settings. */
  public BatchingAcknowledger acknowledger(
      BiConsumer<RemoteDelivery, RiverClientException> onFailure) {
    return acknowledger(BatchingAcknowledger.Settings.DEFAULT, onFailure);
  }

  /**
   * Creates an acknowledger that collects acknowledgements into batches. {@link
   * BatchingAcknowledger#close Close} it to send the last ones.
   *
   * @param onFailure called on a thread of the client with each delivery that is not acknowledged:
   *     with a {@link StaleReceiptException} if the receipt is stale or unknown, else with the
   *     exception of the request. The message is delivered again
   */
  public BatchingAcknowledger acknowledger(
      BatchingAcknowledger.Settings settings,
      BiConsumer<RemoteDelivery, RiverClientException> onFailure) {
    return new BatchingAcknowledger(this, settings, onFailure);
  }

  /** Acknowledges a message. */
  public void ack(RemoteDelivery delivery) {
    acknowledge(List.of(delivery), Acknowledgement.ack());
  }

  /**
   * Acknowledges several messages at once.
   *
   * @throws StaleReceiptException some were stale; all others are acknowledged
   */
  public void ack(Collection<RemoteDelivery> deliveries) {
    acknowledge(deliveries, Acknowledgement.ack());
  }

  /**
   * Acknowledges a message and all messages with a lower sequence that its server has delivered.
   */
  public void ackUpTo(RemoteDelivery delivery) {
    acknowledge(List.of(delivery), Acknowledgement.ackUpTo());
  }

  /** Returns several messages, each as {@link RemoteDelivery#nack()} does. */
  public void nack(Collection<RemoteDelivery> deliveries) {
    acknowledge(deliveries, Acknowledgement.nack());
  }

  /** Returns several messages, each as {@link RemoteDelivery#nack(Duration)} does. */
  public void nack(Collection<RemoteDelivery> deliveries, Duration delay) {
    acknowledge(deliveries, Acknowledgement.nack(delay));
  }

  /** Releases several messages, each as {@link RemoteDelivery#release} does. */
  public void release(Collection<RemoteDelivery> deliveries) {
    acknowledge(deliveries, Acknowledgement.release());
  }

  /** Rejects several messages, each as {@link RemoteDelivery#reject} does. */
  public void reject(Collection<RemoteDelivery> deliveries, String reason) {
    acknowledge(deliveries, Acknowledgement.reject(reason));
  }

  /**
   * Extends the acknowledgement timeout of several messages, each as {@link RemoteDelivery#extend}
   * does.
   */
  public void extend(Collection<RemoteDelivery> deliveries, Duration time) {
    acknowledge(deliveries, Acknowledgement.extend(time));
  }

  /** Acknowledges and publishes as one: see {@link RemoteDelivery#ackAndPublish}. */
  public void ackAndPublish(RemoteDelivery delivery, RemoteQueue to, List<NewMessage> messages) {
    if (messages.isEmpty()) {
      throw new IllegalArgumentException("a batch without messages");
    }
    StringJoiner lines = new StringJoiner(",", "{\"messages\":[", "]}");
    messages.forEach(
        one -> lines.add(new String(JsonCodec.toBatchLine(one), StandardCharsets.UTF_8)));
    String query = "?to=" + Paths.query(to.name()) + "&receipt=" + Paths.query(delivery.receipt());
    Response answer =
        caller.call(
            Request.post(path + "/ack-and-publish" + query)
                .body("application/json", lines.toString().getBytes(StandardCharsets.UTF_8))
                .to(delivery.server()));
    Map<String, AckResult> known = new LinkedHashMap<>();
    answer.as(Results.class).addTo(known, answer);
    if (known.get(delivery.receipt()) != AckResult.OK) {
      throw new StaleReceiptException(
          "the delivery cannot be acknowledged: its receipt is stale or unknown", null);
    }
  }

  void acknowledge(Collection<RemoteDelivery> deliveries, Acknowledgement action) {
    Map<Server, Map<String, AckResult>> answers = new LinkedHashMap<>();
    RiverClientException failed = null;
    for (Map.Entry<Server, List<String>> each : byServer(deliveries).entrySet()) {
      try {
        answers.put(each.getKey(), call(each.getKey(), each.getValue(), action));
      } catch (ClientClosedException | CallInterruptedException e) {
        throw e;
      } catch (RiverClientException e) { // the other servers' deliveries do not depend on it
        failed = e;
      }
    }
    if (failed != null) {
      throw failed;
    }
    List<AckResult> results =
        deliveries.stream()
            .map(
                one ->
                    answers
                        .getOrDefault(one.server(), Map.of())
                        .getOrDefault(one.receipt(), AckResult.UNKNOWN))
            .toList();
    long stale = results.stream().filter(result -> result != AckResult.OK).count();
    if (stale > 0) {
      throw new StaleReceiptException(
          stale
              + " of "
              + deliveries.size()
              + " deliveries cannot be acknowledged: their receipts are stale or unknown",
          null);
    }
  }

  /**
   * Acknowledges deliveries without waiting, each at the server that it came from.
   *
   * @return completes with a result for each, in their order
   */
  public CompletableFuture<List<AckResult>> settleAsync(
      Collection<RemoteDelivery> deliveries, Acknowledgement action) {
    Map<Server, CompletableFuture<Map<String, AckResult>>> answers = new LinkedHashMap<>();
    byServer(deliveries)
        .forEach((server, receipts) -> answers.put(server, send(server, receipts, action)));
    return CompletableFuture.allOf(answers.values().toArray(new CompletableFuture<?>[0]))
        .thenApply(all -> deliveries.stream().map(one -> resultOf(one, answers)).toList());
  }

  private static Map<Server, List<String>> byServer(Collection<RemoteDelivery> deliveries) {
    Map<Server, List<String>> byServer = new LinkedHashMap<>();
    for (RemoteDelivery delivery : deliveries) {
      byServer
          .computeIfAbsent(delivery.server(), server -> new ArrayList<>())
          .add(delivery.receipt());
    }
    return byServer;
  }

  private static AckResult resultOf(
      RemoteDelivery delivery, Map<Server, CompletableFuture<Map<String, AckResult>>> answers) {
    CompletableFuture<Map<String, AckResult>> answer = answers.get(delivery.server());
    return answer == null
        ? AckResult.UNKNOWN
        : answer.join().getOrDefault(delivery.receipt(), AckResult.UNKNOWN);
  }

  /**
   * Acknowledges deliveries by their receipts. With several servers, each gets the receipts that
   * the previous ones do not know.
   *
   * @return a result for each, in their order
   */
  public List<AckResult> settle(Collection<String> receipts, Acknowledgement action) {
    Map<String, AckResult> known = new LinkedHashMap<>();
    for (Server server : caller.servers()) {
      List<String> open = receipts.stream().filter(one -> !known.containsKey(one)).toList();
      if (!open.isEmpty()) {
        call(server, open, action).entrySet().stream()
            .filter(answer -> answer.getValue() != AckResult.UNKNOWN)
            .forEach(answer -> known.put(answer.getKey(), answer.getValue()));
      }
    }
    return receipts.stream().map(one -> known.getOrDefault(one, AckResult.UNKNOWN)).toList();
  }

  /** Acknowledges at one server, in requests of at most 1,000 receipts, and waits. */
  private Map<String, AckResult> call(
      Server server, List<String> receipts, Acknowledgement action) {
    Map<String, AckResult> known = new LinkedHashMap<>();
    for (int i = 0; i < receipts.size(); i += MOST_RECEIPTS) {
      List<String> part = receipts.subList(i, Math.min(receipts.size(), i + MOST_RECEIPTS));
      Response answer = caller.call(acknowledgementRequest(server, part, action));
      answer.as(Results.class).addTo(known, answer);
    }
    return known;
  }

  /** Acknowledges at one server, in requests of at most 1,000 receipts, without waiting. */
  CompletableFuture<Map<String, AckResult>> send(
      Server server, List<String> receipts, Acknowledgement action) {
    CompletableFuture<Map<String, AckResult>> all =
        CompletableFuture.completedFuture(new LinkedHashMap<>());
    for (int i = 0; i < receipts.size(); i += MOST_RECEIPTS) {
      List<String> part = receipts.subList(i, Math.min(receipts.size(), i + MOST_RECEIPTS));
      all =
          all.thenCompose(
              known ->
                  caller
                      .send(acknowledgementRequest(server, part, action))
                      .thenApply(
                          answer -> {
                            answer.as(Results.class).addTo(known, answer);
                            return known;
                          }));
    }
    return all;
  }

  private Request acknowledgementRequest(
      Server server, List<String> receipts, Acknowledgement action) {
    ObjectNode body = JsonCodec.object();
    ArrayNode array = body.putArray("receipts");
    receipts.forEach(array::add);
    action.addTo(body);
    return Request.post(path + "/" + action.verb()).json(body).to(server);
  }

  record Result(String receipt, String result) {}

  record Results(List<Result> results) {
    void addTo(Map<String, AckResult> known, Response answer) {
      for (Result one : results) {
        try {
          known.put(one.receipt(), AckResult.valueOf(one.result().toUpperCase(Locale.ROOT)));
        } catch (IllegalArgumentException e) {
          throw answer.unreadable("a result '" + one.result() + "'");
        }
      }
    }
  }

  /**
   * Makes a token by which a browser's {@code EventSource}, which sends no header, opens one stream
   * of this subscriber: {@code GET …/stream?token=…}. The key of this client stays with its
   * program, and the stream has that key's rights.
   */
  public StreamToken streamToken() {
    return caller.callOne(Request.post(path + "/stream-tokens")).as(StreamToken.class);
  }

  /**
   * Returns the messages that would be delivered next, and changes nothing.
   *
   * @param max 1 to 1,000
   */
  public List<StoredMessage> peek(int max) {
    return caller
        .callOne(Request.get(path + "/peek?max=" + max))
        .as(RemoteQueue.Messages.class)
        .stored();
  }

  /**
   * Moves the subscriber to a position. Deliveries in flight become stale.
   *
   * @return the moved subscriber
   */
  public SubscriberInfo seek(Position position) {
    return caller.callOne(Request.post(path + "/seek").json(position)).as(SubscriberInfo.class);
  }

  /** Stops deliveries until {@link #resume}. */
  public void pause() {
    caller.callOne(Request.post(path + "/pause"));
  }

  /** Ends {@link #pause}. */
  public void resume() {
    caller.callOne(Request.post(path + "/resume"));
  }

  /**
   * Skips all stored messages.
   *
   * @return the number of messages skipped
   */
  public long purge() {
    return caller.callOne(Request.post(path + "/purge").once()).number("purged");
  }

  /**
   * Returns the oldest dead letters.
   *
   * @param max 1 to 1,000
   */
  public DeadLetters deadLetters(int max) {
    DeadLettersJson dead =
        caller.callOne(Request.get(path + "/dead?max=" + max)).as(DeadLettersJson.class);
    return new DeadLetters(dead.size(), new RemoteQueue.Messages(dead.messages()).stored());
  }

  record DeadLettersJson(long size, List<JsonCodec.MessageJson> messages) {}

  /**
   * Publishes the oldest dead letters again, for this subscriber only.
   *
   * @param max 1 to 10,000
   * @return the number of messages published
   */
  public int redrive(int max) {
    ObjectNode body = JsonCodec.object().put("max", max);
    return (int)
        caller.callOne(Request.post(path + "/redrive").json(body).once()).number("redriven");
  }

  /**
   * Redrives the dead letters that are there now, in the background: {@link RemoteQueue#redrives}
   * shows how far that is.
   *
   * @param target another queue of the server; null: the queue that they come from, for this
   *     subscriber only
   * @param filter an expression that sees the headers of the dead letter, too; null: all
   * @throws ConflictException one of this subscriber is not over, or the target is not open
   */
  public RedriveInfo startRedrive(@Nullable String target, @Nullable String filter) {
    ObjectNode body = JsonCodec.object();
    if (target != null) {
      body.put("target", target);
    }
    if (filter != null) {
      body.put("filter", filter);
    }
    return caller.callOne(Request.post(path + "/redrives").json(body).once()).as(RedriveInfo.class);
  }

  /**
   * Deletes all dead letters.
   *
   * @return the number of dead letters deleted
   */
  public long purgeDeadLetters() {
    return caller.callOne(Request.delete(path + "/dead").once()).number("purged");
  }

  /**
   * Deletes one dead letter.
   *
   * @param sequence {@link StoredMessage#sequence} of {@link #deadLetters}
   * @throws NotFoundException it is not there
   */
  public void deleteDeadLetter(long sequence) {
    caller.callOne(Request.delete(path + "/dead/" + sequence).once());
  }

  /**
   * Returns the streams and long polls that are open, the oldest first.
   *
   * @param max 1 to 1,000
   */
  public List<ConsumerInfo> consumers(int max) {
    return caller
        .callOne(Request.get(path + "/consumers?max=" + max))
        .as(Consumers.class)
        .consumers();
  }

  record Consumers(int size, List<ConsumerInfo> consumers) {}

  /**
   * Ends a stream or a long poll. Its client may come back, unless its key is changed.
   *
   * @param id {@link ConsumerInfo#id}
   * @throws NotFoundException it has ended
   */
  public void endConsumer(String id) {
    caller.callOne(Request.delete(path + "/consumers/" + Paths.name(id)).once());
  }

  /**
   * Creates the subscriber on the server, if it does not exist with these settings.
   *
   * @throws ConflictException the subscriber exists with other settings
   */
  public SubscriberInfo create(SubscriberSettings settings) {
    return caller.callOne(Request.put(path).json(settings)).as(SubscriberInfo.class);
  }

  /**
   * Changes settings while the subscriber is in use. Settings that are null keep their values.
   *
   * @return the changed subscriber
   * @throws ConflictException one of the settings cannot change; nothing has changed
   */
  public SubscriberInfo change(SubscriberSettings settings) {
    return caller.callOne(Request.patch(path).json(settings)).as(SubscriberInfo.class);
  }

  /** Returns the settings and statistics of the subscriber. */
  public SubscriberInfo info() {
    return caller.callOne(Request.get(path)).as(SubscriberInfo.class);
  }

  /** Returns the statistics of the subscriber. */
  public SubscriberStats stats() {
    return info().stats();
  }

  /** Deletes the subscriber, its state and its dead letters. */
  public void delete() {
    caller.callOne(Request.delete(path).once());
  }
}
