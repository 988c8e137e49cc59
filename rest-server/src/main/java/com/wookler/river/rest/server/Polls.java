package com.wookler.river.rest.server;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The polls that wait for messages, so that they can be ended. Thread-safe. */
final class Polls {
  private final Set<Poll<?>> open = ConcurrentHashMap.newKeySet();
  private final Latencies latencies;
  private volatile boolean closed;

  Polls(Latencies latencies) {
    this.latencies = latencies;
  }

  /** Begins one; may block. */
  <M> Poll<M> begin(HostedQueue<?> queue, HostedSubscriber<M> subscriber, int max, Duration wait) {
    Poll<M> poll = new Poll<>(queue, subscriber, max, latencies, open::remove);
    open.add(poll);
    poll.start(wait);
    if (closed) {
      poll.end();
    }
    return poll;
  }

  /** Ends all; those who wait are answered with nothing, and so are those who come later. */
  void close() {
    closed = true;
    open.forEach(Poll::end);
  }
}
