package com.wookler.river.rest.server.http;

import com.wookler.river.common.TimeSource;
import com.wookler.river.rest.server.hosting.HostedSubscriber;
import com.wookler.river.rest.server.hosting.Latencies;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Registers the open streams and the receipts that they wait for: an acknowledgement may come over
 * any connection. Thread-safe.
 */
final class StreamRegistry {
  private final Map<String, DeliveryStream<?>> byReceipt = new ConcurrentHashMap<>();
  private final Set<DeliveryStream<?>> open = ConcurrentHashMap.newKeySet();

  private final TimeSource time;
  private final Latencies latencies;
  private final ConsumerRegistry consumers;
  private volatile boolean closed;

  StreamRegistry(TimeSource time, Latencies latencies, ConsumerRegistry consumers) {
    this.time = time;
    this.latencies = latencies;
    this.consumers = consumers;
  }

  Latencies latencies() {
    return latencies;
  }

  long nanoTime() {
    return time.nanoTime();
  }

  /**
   * Starts a stream. The returned future never completes, because the stream itself is the
   * response.
   */
  <M> Future<ApiResponse> open(
      ApiRequest call, HostedSubscriber<M> subscriber, int credit, StreamFormat format) {
    DeliveryStream<M> stream =
        new DeliveryStream<>(call, subscriber, new DeliveryStream.Terms(credit, format), this);
    open.add(stream);
    consumers.add(call, ConsumerRegistry.Kind.STREAM, stream::finish);
    stream.start();
    if (closed || !stream.isAllowed()) {
      stream.finish();
    }
    return Future.future(never -> {});
  }

  void delivered(String receipt, DeliveryStream<?> stream) {
    byReceipt.put(receipt, stream);
  }

  /** Notifies the stream of a delivery that it was acknowledged or returned. */
  void settled(String receipt) {
    DeliveryStream<?> stream = byReceipt.remove(receipt);
    if (stream != null) {
      stream.settled(receipt);
    }
  }

  /** Notifies the stream of a delivery that it was extended. */
  void extended(String receipt, Duration time) {
    DeliveryStream<?> stream = byReceipt.get(receipt);
    if (stream != null) {
      stream.extended(receipt, time);
    }
  }

  /** Removes receipts that a stream does not wait for any more. */
  void forget(Collection<String> receipts) {
    receipts.forEach(byReceipt::remove);
  }

  void ended(DeliveryStream<?> stream) {
    open.remove(stream);
  }

  /** Returns the subscriber of each open stream. */
  List<HostedSubscriber<?>> subscribers() {
    List<HostedSubscriber<?>> all = new ArrayList<>();
    open.forEach(stream -> all.add(stream.subscriber()));
    return all;
  }

  /** Returns the number of open streams. */
  int count() {
    return open.size();
  }

  /** Ends the streams whose keys do not allow them any more. */
  void endUnauthorized() {
    open.forEach(
        stream -> {
          if (!stream.isAllowed()) {
            stream.finish();
          }
        });
  }

  /** Ends all streams. Clients see the end of the response, not an error. */
  void close() {
    closed = true;
    open.forEach(DeliveryStream::finish);
  }
}
