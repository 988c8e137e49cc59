package com.wookler.river.rest.server.http;

import com.wookler.river.common.TimeSource;
import com.wookler.river.rest.server.hosting.HostedSubscriber;
import com.wookler.river.rest.server.hosting.Latencies;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The streams that are open, and which of them waits for which receipt: a decision may come over
 * any connection. Thread-safe.
 */
final class Streams {
  private final Map<String, DeliveryStream<?>> byReceipt = new ConcurrentHashMap<>();
  private final Set<DeliveryStream<?>> open = ConcurrentHashMap.newKeySet();

  private final TimeSource time;
  private final Latencies latencies;
  private volatile boolean closed;

  Streams(TimeSource time, Latencies latencies) {
    this.time = time;
    this.latencies = latencies;
  }

  Latencies latencies() {
    return latencies;
  }

  long nanoTime() {
    return time.nanoTime();
  }

  /** Begins to write; the answer never comes, because the stream is the answer. */
  <M> Future<Answer> open(
      Call call, HostedSubscriber<M> subscriber, int credit, StreamFormat format) {
    DeliveryStream<M> stream =
        new DeliveryStream<>(call, subscriber, new DeliveryStream.Terms(credit, format), this);
    open.add(stream);
    stream.start();
    if (closed || !stream.isAllowed()) {
      stream.finish();
    }
    return Future.future(never -> {});
  }

  void handedOver(String receipt, DeliveryStream<?> stream) {
    byReceipt.put(receipt, stream);
  }

  /** This message is finished or given back, by whomever. */
  void settled(String receipt) {
    DeliveryStream<?> stream = byReceipt.remove(receipt);
    if (stream != null) {
      stream.settled(receipt);
    }
  }

  /** This message may take so long from now on. */
  void extended(String receipt, Duration time) {
    DeliveryStream<?> stream = byReceipt.get(receipt);
    if (stream != null) {
      stream.extended(receipt, time);
    }
  }

  /** A stream waits for these no longer. */
  void forget(Collection<String> receipts) {
    receipts.forEach(byReceipt::remove);
  }

  void ended(DeliveryStream<?> stream) {
    open.remove(stream);
  }

  /** How many there are. */
  int count() {
    return open.size();
  }

  /** Ends those whose keys do not allow them any more. */
  void endForbidden() {
    open.forEach(
        stream -> {
          if (!stream.isAllowed()) {
            stream.finish();
          }
        });
  }

  /** Ends all; those who read see an end, no error. */
  void close() {
    closed = true;
    open.forEach(DeliveryStream::finish);
  }
}
