package com.wookler.river.rest.server.hosting;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Registers the polls that wait for messages, so that they can be ended. Thread-safe. */
public final class PollRegistry {
  private final Map<Poll<?>, Access> open = new ConcurrentHashMap<>();
  private final Latencies latencies;
  private final BufferBudget budget;
  private volatile boolean closed;

  public PollRegistry(Latencies latencies, BufferBudget budget) {
    this.latencies = latencies;
    this.budget = budget;
  }

  public Latencies latencies() {
    return latencies;
  }

  BufferBudget budget() {
    return budget;
  }

  /** Starts a poll. May block. */
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

  /** Returns the subscriber of each open poll. */
  public List<HostedSubscriber<?>> subscribers() {
    List<HostedSubscriber<?>> all = new ArrayList<>();
    open.keySet().forEach(poll -> all.add(poll.subscriber()));
    return all;
  }

  void ended(Poll<?> poll) {
    open.remove(poll);
  }

  /** Ends the polls whose keys do not allow them any more. They are answered with that error. */
  public void endUnauthorized() {
    open.forEach(
        (poll, access) -> {
          if (!access.allows(Right.CONSUME, poll.queueName())) {
            poll.end();
          }
        });
  }

  /** Ends all polls without messages, and those that start later. */
  public void close() {
    closed = true;
    open.keySet().forEach(Poll::end);
  }
}
