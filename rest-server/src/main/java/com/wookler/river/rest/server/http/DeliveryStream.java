package com.wookler.river.rest.server.http;

import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.rest.server.hosting.Access;
import com.wookler.river.rest.server.hosting.BufferBudget;
import com.wookler.river.rest.server.hosting.HostedSubscriber;
import com.wookler.river.rest.server.hosting.Right;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Streams a subscriber's messages to one connection. It polls no more while as many deliveries as
 * its credit are not acknowledged, or while the connection's buffer is full. When it ends,
 * deliveries that are not acknowledged are released.
 *
 * <p>Confined to the event loop of its connection, except for {@link #settled} and {@link #finish}.
 */
final class DeliveryStream<M> {
  private static final Logger LOG = LoggerFactory.getLogger(DeliveryStream.class);
  private static final Duration KEEP_ALIVE_INTERVAL = Duration.ofSeconds(15);
  private static final int MAX_BATCH = 64;
  private static final int FIRST_BATCH = 1; // because the size is not known
  private static final long BATCH_BYTES = 256 << 10;

  private final Context loop;
  private final HttpExchange exchange;
  private final Access access;
  private final HttpServerResponse response;
  private final HostedSubscriber<M> hosted;
  private final Terms terms;
  private final StreamRegistry streams;

  private final InFlightDeliveries out = new InFlightDeliveries();

  private @Nullable CompletableFuture<List<Delivery<M>>> taking;
  private int atOnce = FIRST_BATCH;
  private long lifeTimer;
  private long lateTimer;
  private @Nullable Long lateTimerAt; // null while no timer is set
  private boolean awaitsMemory;
  private boolean ended;

  /** The options of a stream: the largest number of unacknowledged deliveries, and the format. */
  record Terms(int credit, StreamFormat format) {}

  DeliveryStream(ApiRequest call, HostedSubscriber<M> hosted, Terms terms, StreamRegistry streams) {
    this.loop = call.loop();
    this.exchange = call.exchange();
    this.access = call.access();
    this.response = exchange.response();
    this.hosted = hosted;
    this.terms = terms;
    this.streams = streams;
  }

  HostedSubscriber<M> subscriber() {
    return hosted;
  }

  /** Returns whether the caller's key still allows the stream. Called by any thread. */
  boolean isAllowed() {
    return access.allows(Right.CONSUME, hosted.queue());
  }

  void start() {
    response.setChunked(true).putHeader("Content-Type", terms.format().type());
    response.drainHandler(drained -> take());
    response.writeHead();
    if (terms.format().begin().length() > 0) {
      response.write(terms.format().begin());
    }
    exchange.onEnd(this::end);
    if (ended) {
      return;
    }
    lifeTimer = loop.owner().setPeriodic(KEEP_ALIVE_INTERVAL.toMillis(), tick -> tick());
    take();
  }

  /** Polls again, and sends a keep-alive if nothing else is sent. */
  private void tick() {
    take();
    if (taking == null && !ended && !response.writeQueueFull()) {
      response.write(terms.format().keepAlive());
    }
  }

  private void take() {
    forgetLate();
    int room = Math.min(terms.credit() - out.size(), atOnce);
    if (ended || taking != null || room <= 0 || response.writeQueueFull() || lacksMemory()) {
      return;
    }
    CompletableFuture<List<Delivery<M>>> asked;
    try {
      asked = hosted.consumer().batchAsync(room, KEEP_ALIVE_INTERVAL);
    } catch (RuntimeException e) {
      asked = CompletableFuture.failedFuture(e);
    }
    taking = asked;
    var unused =
        asked.whenComplete((taken, failed) -> loop.runOnContext(now -> took(taken, failed)));
  }

  /** Returns whether memory is lacking, and if so continues when it is available. */
  private boolean lacksMemory() {
    BufferBudget budget = exchange.budget();
    if (budget.hasCapacity() || awaitsMemory) {
      return awaitsMemory;
    }
    awaitsMemory = true;
    budget.whenAvailable(
        () ->
            loop.runOnContext(
                now -> {
                  awaitsMemory = false;
                  take();
                }));
    return true;
  }

  private void took(@Nullable List<Delivery<M>> taken, @Nullable Throwable failed) {
    taking = null;
    if (taken == null) {
      if (!ended) {
        LOG.debug("A stream of subscriber {} ends", hosted.subscriber().name(), failed);
        close();
      }
      return;
    }
    taken.forEach(delivery -> hold(delivery.receipt()));
    learn(taken.size(), ended ? 0 : write(taken));
    if (ended) {
      release();
    } else if (taken.isEmpty()) {
      response.write(terms.format().keepAlive());
    } else {
      streams.latencies().delivered(hosted, taken);
    }
    take();
  }

  /** Writes deliveries, which hold memory until they are read, and returns their size. */
  private long write(List<Delivery<M>> deliveries) {
    long bytes = 0;
    Future<Void> written = Future.succeededFuture();
    for (Delivery<M> delivery : deliveries) {
      Buffer json = MessageJson.delivery(delivery);
      bytes += json.length();
      written = response.write(terms.format().framed(json, delivery.sequence()));
    }
    exchange.holdUntil(written, bytes);
    return bytes;
  }

  /** Adapts the size of the next batch to the size of the messages. */
  private void learn(int messages, long bytes) {
    if (messages > 0) {
      long fit = BATCH_BYTES * messages / Math.max(1, bytes);
      atOnce = (int) Math.max(1, Math.min(MAX_BATCH, Math.min(fit, 2L * atOnce)));
    }
  }

  private void hold(String receipt) {
    if (hosted.subscriber().config().ackRequired()) {
      Duration timeout = hosted.subscriber().config().ackTimeout();
      out.put(receipt, streams.nanoTime() + timeout.toNanos());
      streams.delivered(receipt, this);
    }
  }

  /**
   * Removes deliveries whose acknowledgement timeout has passed. They are delivered again, on this
   * stream or elsewhere.
   */
  private void forgetLate() {
    streams.forget(out.removeLate(streams.nanoTime()));
    setLateTimer();
  }

  /**
   * Sets a timer for the earliest deadline. An earlier timer is kept, so that there is one for each
   * timeout and not one for each delivery.
   */
  private void setLateTimer() {
    Long earliest = out.earliest();
    if (ended || earliest == null || (lateTimerAt != null && lateTimerAt - earliest <= 0)) {
      return;
    }
    cancelLateTimer();
    lateTimerAt = earliest;
    long millis = TimeUnit.NANOSECONDS.toMillis(earliest - streams.nanoTime()) + 1;
    lateTimer =
        loop.owner()
            .setTimer(
                Math.max(1, millis),
                late -> {
                  lateTimerAt = null;
                  take();
                });
  }

  private void cancelLateTimer() {
    if (lateTimerAt != null) {
      loop.owner().cancelTimer(lateTimer);
      lateTimerAt = null;
    }
  }

  /** Records that a delivery of this stream was acknowledged or returned. Called by any thread. */
  void settled(String receipt) {
    loop.runOnContext(
        now -> {
          out.remove(receipt);
          take();
        });
  }

  /** Records that a delivery of this stream was extended. Called by any thread. */
  void extended(String receipt, Duration time) {
    loop.runOnContext(
        now -> {
          if (out.remove(receipt)) {
            out.put(receipt, streams.nanoTime() + time.toNanos());
            setLateTimer();
          }
        });
  }

  /** Ends the stream from the server's side. Called by any thread. */
  void finish() {
    loop.runOnContext(now -> close());
  }

  private void close() {
    exchange.finish();
    end();
  }

  private void end() {
    if (ended) {
      return;
    }
    ended = true;
    loop.owner().cancelTimer(lifeTimer);
    cancelLateTimer();
    if (taking != null) {
      taking.cancel(false);
    }
    release();
    streams.ended(this);
  }

  private void release() {
    List<String> receipts = out.removeAll();
    if (receipts.isEmpty()) {
      return;
    }
    streams.forget(receipts);
    loop.<Boolean>executeBlocking(
            () -> {
              hosted.release(receipts);
              return true;
            },
            false)
        .onFailure(e -> LOG.debug("Cannot release the messages of a stream", e));
  }
}
