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
 * Writes what a subscriber has to one connection, as fast as it is read and settled: it takes no
 * more while as many deliveries as its credit are not settled, or while the connection's buffer is
 * full. At the end, whoever ends it, what is not settled is given back.
 *
 * <p>Confined to the event loop of its connection, but for {@link #settled} and {@link #finish}.
 */
final class DeliveryStream<M> {
  private static final Logger LOG = LoggerFactory.getLogger(DeliveryStream.class);
  private static final Duration SIGN_OF_LIFE = Duration.ofSeconds(15);
  private static final int MOST_AT_ONCE = 64;
  private static final int FIRST_AT_ONCE = 1; // of which the size is not known
  private static final long BYTES_AT_ONCE = 256 << 10;

  private final Context loop;
  private final Exchange exchange;
  private final Access access;
  private final HttpServerResponse response;
  private final HostedSubscriber<M> hosted;
  private final Terms terms;
  private final Streams streams;

  private final Outstanding out = new Outstanding();

  private @Nullable CompletableFuture<List<Delivery<M>>> taking;
  private int atOnce = FIRST_AT_ONCE;
  private long lifeTimer;
  private long lateTimer;
  private @Nullable Long lateTimerAt; // null while it is not set
  private boolean awaitsRoom;
  private boolean ended;

  /** How much may be out, and how it is written. */
  record Terms(int credit, StreamFormat format) {}

  DeliveryStream(Call call, HostedSubscriber<M> hosted, Terms terms, Streams streams) {
    this.loop = call.loop();
    this.exchange = call.exchange();
    this.access = call.access();
    this.response = exchange.response();
    this.hosted = hosted;
    this.terms = terms;
    this.streams = streams;
  }

  /** Returns whether the key of the caller allows it still; any thread. */
  boolean isAllowed() {
    return access.allows(Right.CONSUME, hosted.queue());
  }

  void start() {
    response.setChunked(true).putHeader("Content-Type", terms.format().type());
    response.drainHandler(drained -> take());
    response.writeHead();
    exchange.whenOver(this::end);
    if (ended) {
      return;
    }
    lifeTimer = loop.owner().setPeriodic(SIGN_OF_LIFE.toMillis(), tick -> tick());
    take();
  }

  /** Shows a reader who has all that he may have that his connection lives. */
  private void tick() {
    take();
    if (taking == null && !ended && !response.writeQueueFull()) {
      response.write(terms.format().signOfLife());
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
      asked = hosted.subscriber().batchAsync(room, SIGN_OF_LIFE);
    } catch (RuntimeException e) {
      asked = CompletableFuture.failedFuture(e);
    }
    taking = asked;
    var unused =
        asked.whenComplete((taken, failed) -> loop.runOnContext(now -> took(taken, failed)));
  }

  /** Takes nothing while there is no room for it in memory, and goes on when there is. */
  private boolean lacksMemory() {
    BufferBudget budget = exchange.budget();
    if (budget.hasRoom() || awaitsRoom) {
      return awaitsRoom;
    }
    awaitsRoom = true;
    budget.whenRoom(
        () ->
            loop.runOnContext(
                now -> {
                  awaitsRoom = false;
                  take();
                }));
    return true;
  }

  private void took(@Nullable List<Delivery<M>> taken, @Nullable Throwable failed) {
    taking = null;
    if (taken == null) {
      if (!ended) {
        LOG.debug("A stream of {} ends", hosted.subscriber().name(), failed);
        close();
      }
      return;
    }
    taken.forEach(delivery -> hold(delivery.receipt()));
    learn(taken.size(), ended ? 0 : write(taken));
    if (ended) {
      giveBack();
    } else if (taken.isEmpty()) {
      response.write(terms.format().signOfLife());
    } else {
      streams.latencies().delivered(hosted, taken);
    }
    take();
  }

  /** Writes deliveries, which count as memory until they are read; returns their size. */
  private long write(List<Delivery<M>> deliveries) {
    long bytes = 0;
    Future<Void> written = Future.succeededFuture();
    for (Delivery<M> delivery : deliveries) {
      Buffer json = MessageJson.delivery(delivery);
      bytes += json.length();
      written = response.write(terms.format().framed(json));
    }
    exchange.holdUntil(written, bytes);
    return bytes;
  }

  /** Takes so many the next time that few large messages, or many small ones, are in memory. */
  private void learn(int messages, long bytes) {
    if (messages > 0) {
      long fit = BYTES_AT_ONCE * messages / Math.max(1, bytes);
      atOnce = (int) Math.max(1, Math.min(MOST_AT_ONCE, Math.min(fit, 2L * atOnce)));
    }
  }

  private void hold(String receipt) {
    if (hosted.subscriber().config().ackRequired()) {
      Duration timeout = hosted.subscriber().config().ackTimeout();
      out.put(receipt, streams.nanoTime() + timeout.toNanos());
      streams.handedOver(receipt, this);
    }
  }

  /** What was not settled in time is out no longer, and comes again, here or elsewhere. */
  private void forgetLate() {
    streams.forget(out.removeLate(streams.nanoTime()));
    setLateTimer();
  }

  /**
   * Looks again at the earliest deadline. A timer that is set for a deadline that has gone is left
   * alone, because it is there once for a whole timeout and not once for each delivery.
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

  /** Somebody has decided over a delivery of this stream; any thread. */
  void settled(String receipt) {
    loop.runOnContext(
        now -> {
          out.remove(receipt);
          take();
        });
  }

  /** A delivery of this stream may take longer; any thread. */
  void extended(String receipt, Duration time) {
    loop.runOnContext(
        now -> {
          if (out.remove(receipt)) {
            out.put(receipt, streams.nanoTime() + time.toNanos());
            setLateTimer();
          }
        });
  }

  /** Ends it from the server's side; any thread. */
  void finish() {
    loop.runOnContext(now -> close());
  }

  private void close() {
    if (!response.ended()) {
      response.end();
    }
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
    giveBack();
    streams.ended(this);
  }

  private void giveBack() {
    List<String> receipts = out.removeAll();
    if (receipts.isEmpty()) {
      return;
    }
    streams.forget(receipts);
    loop.<Boolean>executeBlocking(
            () -> {
              hosted.giveBack(receipts);
              return true;
            },
            false)
        .onFailure(e -> LOG.debug("Cannot give back what a stream had", e));
  }
}
