package com.wookler.river.rest.server.http;

import com.wookler.river.common.TimeSource;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Registers the requests that wait for messages of a subscriber, so that operators can see them and
 * end one. Thread-safe.
 */
final class ConsumerRegistry {
  private final Map<String, Consumer> byId = new ConcurrentHashMap<>();
  private final TimeSource time;

  /** The kinds of requests that wait. */
  enum Kind {
    POLL,
    STREAM
  }

  /** A request that waits. */
  record Consumer(
      String id,
      Kind kind,
      String queue,
      String subscriber,
      String address,
      String key,
      @Nullable String owner,
      Instant since,
      Runnable end) {
    boolean isOf(String ofQueue, String ofSubscriber) {
      return queue.equals(ofQueue) && subscriber.equals(ofSubscriber);
    }
  }

  ConsumerRegistry(TimeSource time) {
    this.time = time;
  }

  /**
   * Adds a request until it ends. Called on its event loop.
   *
   * @param end ends it from the server's side
   */
  void add(ApiRequest call, Kind kind, Runnable end) {
    String id = call.exchange().id();
    byId.put(
        id,
        new Consumer(
            id,
            kind,
            call.name("queue"),
            call.name("subscriber"),
            String.valueOf(call.request().remoteAddress()),
            call.access().name(),
            call.query("owner"),
            time.wallTime(),
            end));
    call.exchange().onEnd(() -> byId.remove(id));
  }

  /** Returns those of a subscriber, the oldest first. */
  List<Consumer> of(String queue, String subscriber) {
    return byId.values().stream()
        .filter(each -> each.isOf(queue, subscriber))
        .sorted(Comparator.comparing(Consumer::since).thenComparing(Consumer::id))
        .toList();
  }

  /** Ends one of a subscriber, and returns whether there was one. */
  boolean end(String queue, String subscriber, String id) {
    Consumer found = byId.get(id);
    if (found == null || !found.isOf(queue, subscriber)) {
      return false;
    }
    found.end().run();
    return true;
  }
}
