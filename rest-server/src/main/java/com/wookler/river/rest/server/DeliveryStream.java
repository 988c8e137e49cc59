package com.wookler.river.rest.server;

import com.wookler.river.core.subscriber.Delivery;
import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
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
  private static final int FIRST_AT_ONCE = 4;
  private static final long BYTES_AT_ONCE = 256 << 10;

  private final Context loop;
  private final Exchange exchange;
  private final HttpServerResponse response;
  private final HostedSubscriber<M> hosted;
  private final Terms terms;
  private final Streams streams;

  /** What is out, by receipt, with the time at which it comes again anyway; oldest first. */
  private final Map<String, Long> out = new LinkedHashMap<>();

  private @Nullable CompletableFuture<List<Delivery<M>>> taking;
  private int atOnce = FIRST_AT_ONCE;
  private long lifeTimer;
  private boolean ended;

  /** How much may be out, and how it is written. */
  record Terms(int credit, StreamFormat format) {}

  DeliveryStream(Call call, HostedSubscriber<M> hosted, Terms terms, Streams streams) {
    this.loop = call.loop();
    this.exchange = call.exchange();
    this.response = exchange.response();
    this.hosted = hosted;
    this.terms = terms;
    this.streams = streams;
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

  /** Somebody reads who has all he may have: his connection lives, and what was late is free. */
  private void tick() {
    take();
    if (taking == null && !ended && !response.writeQueueFull()) {
      response.write(terms.format().signOfLife());
    }
  }

  private void take() {
    forgetLate();
    int room = Math.min(terms.credit() - out.size(), atOnce);
    if (ended || taking != null || room <= 0 || response.writeQueueFull()) {
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

  private void took(@Nullable List<Delivery<M>> taken, @Nullable Throwable failed) {
    taking = null;
    if (taken == null) {
      if (!ended) {
        LOG.debug("A stream of {} ends", hosted.subscriber().name(), failed);
        close();
      }
      return;
    }
    long bytes = 0;
    for (Delivery<M> delivery : taken) {
      hold(delivery.receipt());
      if (!ended) {
        Buffer json = MessageJson.delivery(delivery);
        bytes += json.length();
        response.write(terms.format().framed(json));
      }
    }
    learn(taken.size(), bytes);
    if (ended) {
      giveBack();
    } else if (taken.isEmpty()) {
      response.write(terms.format().signOfLife());
    } else {
      streams.latencies().delivered(hosted, taken);
    }
    take();
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
      out.put(receipt, streams.nanoTime() + hosted.subscriber().config().ackTimeout().toNanos());
      streams.handedOver(receipt, this);
    }
  }

  /** What was not settled in time is out no longer, and comes again, here or elsewhere. */
  private void forgetLate() {
    long now = streams.nanoTime();
    List<String> late = new ArrayList<>();
    for (Iterator<Map.Entry<String, Long>> all = out.entrySet().iterator(); all.hasNext(); ) {
      Map.Entry<String, Long> oldest = all.next();
      if (oldest.getValue() - now > 0) {
        break;
      }
      late.add(oldest.getKey());
      all.remove();
    }
    streams.forget(late);
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
          if (out.remove(receipt) != null) {
            out.put(receipt, streams.nanoTime() + time.toNanos());
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
    if (taking != null) {
      taking.cancel(false);
    }
    giveBack();
    streams.ended(this);
  }

  private void giveBack() {
    if (out.isEmpty()) {
      return;
    }
    List<String> receipts = List.copyOf(out.keySet());
    out.clear();
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
