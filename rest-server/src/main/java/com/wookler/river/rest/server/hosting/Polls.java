package com.wookler.river.rest.server.hosting;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The polls that wait for messages, so that they can be ended. Thread-safe. */
public final class Polls {
  private final Map<Poll<?>, Access> open = new ConcurrentHashMap<>();
  private final Latencies latencies;
  private final BufferBudget budget;
  private volatile boolean closed;

  public Polls(Latencies latencies, BufferBudget budget) {
    this.latencies = latencies;
    this.budget = budget;
  }

  public Latencies latencies() {
    return latencies;
  }

  BufferBudget budget() {
    return budget;
  }

  /** Begins one; may block. */
  public <M> Poll<M> begin(
      Access access, HostedQueue<?> queue, HostedSubscriber<M> subscriber, int max, Duration wait) {
    Poll<M> poll = new Poll<>(queue, subscriber, max, this);
    open.put(poll, access);
    poll.start(wait);
    if (closed || !access.allows(Right.CONSUME, subscriber.queue())) {
      poll.end();
    }
    return poll;
  }

  void ended(Poll<?> poll) {
    open.remove(poll);
  }

  /** Ends those whose keys do not allow them any more; they are answered with that. */
  public void endForbidden() {
    open.forEach(
        (poll, access) -> {
          if (!access.allows(Right.CONSUME, poll.queueName())) {
            poll.end();
          }
        });
  }

  /** Ends all; those who wait are answered with nothing, and so are those who come later. */
  public void close() {
    closed = true;
    open.keySet().forEach(Poll::end);
  }
}
