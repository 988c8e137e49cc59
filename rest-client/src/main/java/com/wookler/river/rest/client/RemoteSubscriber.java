package com.wookler.river.rest.client;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A durable, named reader of a queue of a server.
 *
 * <p>Several consumers may share one; each message goes to one of them. What was handed over and is
 * not decided over comes again after the subscriber's time, to whichever consumer asks next.
 *
 * <p>With several servers, taking asks each of them in turn; it throws only if none can be reached.
 *
 * <p>Thread-safe.
 */
public final class RemoteSubscriber {
  private static final int MOST_RECEIPTS = 1_000;

  private final Caller caller;
  private final String queue;
  private final String name;
  private final String path;

  RemoteSubscriber(Caller caller, String queue, String name) {
    this.caller = caller;
    this.queue = queue;
    this.name = name;
    this.path = Paths.subscriber(queue, name);
  }

  /** Its name, unique in the queue. */
  public String name() {
    return name;
  }

  /** Its queue's name. */
  public String queue() {
    return queue;
  }

  String path() {
    return path;
  }

  Caller caller() {
    return caller;
  }

  /** The next message, or null if there is none now. */
  public @Nullable RemoteDelivery next() {
    try {
      return next(Duration.ZERO);
    } catch (InterruptedException e) {
      throw Transport.interrupted(e);
    }
  }

  /**
   * The next message, waiting for it if there is none.
   *
   * @return null if none came in time
   * @throws InterruptedException interrupted while waiting; what the server may have handed over
   *     comes again after the subscriber's time
   */
  public @Nullable RemoteDelivery next(Duration timeout) throws InterruptedException {
    List<RemoteDelivery> batch = batch(1, timeout);
    return batch.isEmpty() ? null : batch.get(0);
  }

  /**
   * What is there, up to a number, waiting only while there is nothing.
   *
   * @param max 1 to 1,000
   * @return empty if nothing came in time
   * @throws InterruptedException as in {@link #next(Duration)}
   */
  public List<RemoteDelivery> batch(int max, Duration timeout) throws InterruptedException {
    return poll(max, timeout).runNow();
  }

  /**
   * Takes what is there, up to a number, without a thread that waits. If the future was cancelled,
   * what comes all the same is given back.
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
   * Takes messages as they come, until the stream is closed, with at most 100 not decided over.
   *
   * @see #stream(int, Consumer)
   */
  public DeliveryStream stream(Consumer<RemoteDelivery> handler) {
    return stream(100, handler);
  }

  /**
   * Takes messages as they come, until the stream is closed: over one connection a server, made
   * again after pauses when it breaks. What was not decided over then comes again.
   *
   * @param credit how many may be out and not decided over, 1 to 10,000, at each server; the server
   *     sends no more
   * @param handler gets each message, one after the other, on a thread of the client; with several
   *     servers, at the same time one from each. It decides over the message, then or later. If it
   *     throws, the message is given back as by {@link RemoteDelivery#nack()}: give a subscriber
   *     whose handler may throw a backoff and a limit on deliveries, or one message can come again
   *     and again before all others
   */
  public DeliveryStream stream(int credit, Consumer<RemoteDelivery> handler) {
    return DeliveryStream.start(this, credit, handler, () -> {});
  }

  /** An acknowledger that collects acknowledgements to batches, with default settings. */
  public BatchingAcknowledger acknowledger(
      BiConsumer<RemoteDelivery, RiverClientException> onFailure) {
    return acknowledger(BatchingAcknowledger.Settings.DEFAULT, onFailure);
  }

  /**
   * An acknowledger that collects acknowledgements to batches. Close it, to have the last ones
   * sent.
   *
   * @param onFailure is called on a thread of the client with each delivery that is not
   *     acknowledged: with a {@link StaleReceiptException} where the server says that the receipt
   *     is stale or unknown, else with what the request failed with. The message comes again
   */
  public BatchingAcknowledger acknowledger(
      BatchingAcknowledger.Settings settings,
      BiConsumer<RemoteDelivery, RiverClientException> onFailure) {
    return new BatchingAcknowledger(this, settings, onFailure);
  }

  /** Finishes a message. */
  public void ack(RemoteDelivery delivery) {
    decide(List.of(delivery), Settlement.ack());
  }

  /**
   * Finishes several messages at once.
   *
   * @throws StaleReceiptException some were stale; all others are finished
   */
  public void ack(Collection<RemoteDelivery> deliveries) {
    decide(deliveries, Settlement.ack());
  }

  /** Finishes a message and everything below it that its server has handed over. */
  public void ackUpTo(RemoteDelivery delivery) {
    decide(List.of(delivery), Settlement.ackUpTo());
  }

  /** Gives several messages back; see {@link RemoteDelivery#nack()}. */
  public void nack(Collection<RemoteDelivery> deliveries) {
    decide(deliveries, Settlement.nack());
  }

  /** Gives several messages back; see {@link RemoteDelivery#nack(Duration)}. */
  public void nack(Collection<RemoteDelivery> deliveries, Duration delay) {
    decide(deliveries, Settlement.nack(delay));
  }

  /** Gives several messages back; see {@link RemoteDelivery#release}. */
  public void release(Collection<RemoteDelivery> deliveries) {
    decide(deliveries, Settlement.release());
  }

  /** Gives several messages up; see {@link RemoteDelivery#reject}. */
  public void reject(Collection<RemoteDelivery> deliveries, String reason) {
    decide(deliveries, Settlement.reject(reason));
  }

  /** Takes more time for several messages; see {@link RemoteDelivery#extend}. */
  public void extend(Collection<RemoteDelivery> deliveries, Duration time) {
    decide(deliveries, Settlement.extend(time));
  }

  void decide(Collection<RemoteDelivery> deliveries, Settlement settlement) {
    Map<Server, Map<String, Settled>> answers = new LinkedHashMap<>();
    RiverClientException failed = null;
    for (Map.Entry<Server, List<String>> each : byServer(deliveries).entrySet()) {
      try {
        answers.put(each.getKey(), askNow(each.getKey(), each.getValue(), settlement));
      } catch (ClientClosedException | CallInterruptedException e) {
        throw e;
      } catch (RiverClientException e) { // the other servers' deliveries do not depend on it
        failed = e;
      }
    }
    if (failed != null) {
      throw failed;
    }
    List<Settled> results =
        deliveries.stream()
            .map(
                one ->
                    answers
                        .getOrDefault(one.server(), Map.of())
                        .getOrDefault(one.receipt(), Settled.UNKNOWN))
            .toList();
    long stale = results.stream().filter(result -> result != Settled.OK).count();
    if (stale > 0) {
      throw new StaleReceiptException(
          stale + " of " + deliveries.size() + " deliveries cannot be decided over any more", null);
    }
  }

  /**
   * Decides over deliveries without waiting, each at the server that it came from.
   *
   * @return an answer to each, in their order
   */
  public CompletableFuture<List<Settled>> settleAsync(
      Collection<RemoteDelivery> deliveries, Settlement settlement) {
    Map<Server, CompletableFuture<Map<String, Settled>>> answers = new LinkedHashMap<>();
    byServer(deliveries)
        .forEach((server, receipts) -> answers.put(server, ask(server, receipts, settlement)));
    return CompletableFuture.allOf(answers.values().toArray(new CompletableFuture<?>[0]))
        .thenApply(all -> deliveries.stream().map(one -> result(one, answers)).toList());
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

  private static Settled result(
      RemoteDelivery delivery, Map<Server, CompletableFuture<Map<String, Settled>>> answers) {
    CompletableFuture<Map<String, Settled>> answer = answers.get(delivery.server());
    return answer == null
        ? Settled.UNKNOWN
        : answer.join().getOrDefault(delivery.receipt(), Settled.UNKNOWN);
  }

  /**
   * Decides over deliveries by their receipts, for holders that have nothing else. With several
   * servers, each is asked for those that the ones before it do not know.
   *
   * @return an answer to each, in their order
   */
  public List<Settled> settle(Collection<String> receipts, Settlement settlement) {
    Map<String, Settled> known = new LinkedHashMap<>();
    for (Server server : caller.servers()) {
      List<String> open = receipts.stream().filter(one -> !known.containsKey(one)).toList();
      if (!open.isEmpty()) {
        askNow(server, open, settlement).entrySet().stream()
            .filter(answer -> answer.getValue() != Settled.UNKNOWN)
            .forEach(answer -> known.put(answer.getKey(), answer.getValue()));
      }
    }
    return receipts.stream().map(one -> known.getOrDefault(one, Settled.UNKNOWN)).toList();
  }

  /** Asks one server by this thread, in parts that it takes. */
  private Map<String, Settled> askNow(Server server, List<String> receipts, Settlement settlement) {
    Map<String, Settled> known = new LinkedHashMap<>();
    for (int i = 0; i < receipts.size(); i += MOST_RECEIPTS) {
      List<String> part = receipts.subList(i, Math.min(receipts.size(), i + MOST_RECEIPTS));
      Answer answer = caller.call(settling(server, part, settlement));
      answer.as(Results.class).addTo(known, answer);
    }
    return known;
  }

  /** Asks one server, in parts that it takes. */
  CompletableFuture<Map<String, Settled>> ask(
      Server server, List<String> receipts, Settlement settlement) {
    CompletableFuture<Map<String, Settled>> all =
        CompletableFuture.completedFuture(new LinkedHashMap<>());
    for (int i = 0; i < receipts.size(); i += MOST_RECEIPTS) {
      List<String> part = receipts.subList(i, Math.min(receipts.size(), i + MOST_RECEIPTS));
      all =
          all.thenCompose(
              known ->
                  caller
                      .send(settling(server, part, settlement))
                      .thenApply(
                          answer -> {
                            answer.as(Results.class).addTo(known, answer);
                            return known;
                          }));
    }
    return all;
  }

  private Ask settling(Server server, List<String> receipts, Settlement settlement) {
    ObjectNode body = Wire.object();
    ArrayNode array = body.putArray("receipts");
    receipts.forEach(array::add);
    settlement.addTo(body);
    return Ask.post(path + "/" + settlement.verb()).json(body).to(server);
  }

  record Result(String receipt, String result) {}

  record Results(List<Result> results) {
    void addTo(Map<String, Settled> known, Answer answer) {
      for (Result one : results) {
        try {
          known.put(one.receipt(), Settled.valueOf(one.result().toUpperCase(Locale.ROOT)));
        } catch (IllegalArgumentException e) {
          throw answer.unreadable("a result '" + one.result() + "'");
        }
      }
    }
  }

  /**
   * Looks at what would be handed over now, and changes nothing.
   *
   * @param max 1 to 1,000
   */
  public List<StoredMessage> peek(int max) {
    return caller
        .callOne(Ask.get(path + "/peek?max=" + max))
        .as(RemoteQueue.Messages.class)
        .stored();
  }

  /**
   * Moves it; deliveries that are out become stale.
   *
   * @return where it stands now
   */
  public SubscriberInfo seek(Position position) {
    return caller.callOne(Ask.post(path + "/seek").json(position)).as(SubscriberInfo.class);
  }

  /** Stops handing over, until {@link #resume}. */
  public void pause() {
    caller.callOne(Ask.post(path + "/pause"));
  }

  /** Ends {@link #pause}. */
  public void resume() {
    caller.callOne(Ask.post(path + "/resume"));
  }

  /**
   * Skips all that is there.
   *
   * @return how many messages
   */
  public long purge() {
    return caller.callOne(Ask.post(path + "/purge").once()).number("purged");
  }

  /**
   * The oldest of the messages that it gave up.
   *
   * @param max 1 to 1,000
   */
  public DeadLetters deadLetters(int max) {
    Dead dead = caller.callOne(Ask.get(path + "/dead?max=" + max)).as(Dead.class);
    return new DeadLetters(dead.size(), new RemoteQueue.Messages(dead.messages()).stored());
  }

  record Dead(long size, List<Wire.MessageJson> messages) {}

  /**
   * Publishes the oldest dead letters anew, for this subscriber only.
   *
   * @param max 1 to 10,000
   * @return how many
   */
  public int redrive(int max) {
    ObjectNode body = Wire.object().put("max", max);
    return (int) caller.callOne(Ask.post(path + "/redrive").json(body).once()).number("redriven");
  }

  /**
   * Drops all dead letters.
   *
   * @return how many
   */
  public long purgeDeadLetters() {
    return caller.callOne(Ask.delete(path + "/dead").once()).number("purged");
  }

  /**
   * Makes it on the server, or finds it there with these settings.
   *
   * @throws ConflictException it is there with others
   */
  public SubscriberInfo create(SubscriberSettings settings) {
    return caller.callOne(Ask.put(path).json(settings)).as(SubscriberInfo.class);
  }

  /**
   * Changes settings while it is in use; what is null stays as it is.
   *
   * @return it, as it is then
   * @throws ConflictException one of them cannot change; nothing has changed
   */
  public SubscriberInfo change(SubscriberSettings settings) {
    return caller.callOne(Ask.patch(path).json(settings)).as(SubscriberInfo.class);
  }

  /** Its settings and figures. */
  public SubscriberInfo info() {
    return caller.callOne(Ask.get(path)).as(SubscriberInfo.class);
  }

  /** Where it stands. */
  public SubscriberStats stats() {
    return info().stats();
  }

  /** Ends the subscription; its place and its dead letters are gone. */
  public void delete() {
    caller.callOne(Ask.delete(path).once());
  }
}
