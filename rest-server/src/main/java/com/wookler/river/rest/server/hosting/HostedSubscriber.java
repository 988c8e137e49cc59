package com.wookler.river.rest.server.hosting;

import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Settlement;
import com.wookler.river.core.subscriber.Subscriber;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A subscriber of a queue that the server serves.
 *
 * @param queue the queue's name
 * @param subscriber the subscriber
 * @param consumer the subscriber, or polls of it by an owner
 */
public record HostedSubscriber<M>(String queue, Subscriber<M> subscriber, Subscriber<M> consumer) {
  private static final int LONGEST_OWNER = 128;

  HostedSubscriber(String queue, Subscriber<M> subscriber) {
    this(queue, subscriber, subscriber);
  }

  /** Returns it for polls by an owner, who must be named if it is exclusive. */
  public HostedSubscriber<M> by(@Nullable String owner) {
    if (owner != null) {
      return new HostedSubscriber<>(queue, subscriber, subscriber.consumer(checkedOwner(owner)));
    }
    if (subscriber.config().exclusive()) {
      throw RequestException.field("owner", "is missing: the subscriber is exclusive");
    }
    return this;
  }

  private static String checkedOwner(String owner) {
    if (owner.isEmpty() || owner.length() > LONGEST_OWNER) {
      throw RequestException.field("owner", "must have 1 to " + LONGEST_OWNER + " characters");
    }
    return owner;
  }

  /**
   * Returns the next messages without delivering them, fewer than {@code max} if their data reaches
   * {@code bytes}.
   */
  public List<Delivery<M>> peek(int max, long bytes) {
    return subscriber.peek(max, bytes);
  }

  /**
   * Returns the oldest dead letters, fewer than {@code max} if their data reaches {@code bytes}.
   */
  public List<Delivery<M>> oldestDead(int max, long bytes) {
    return subscriber.deadLetters().peek(max, bytes);
  }

  /** Releases deliveries that did not reach the client. Those completed by now stay completed. */
  public void release(List<String> receipts) {
    if (subscriber.config().ackRequired() && !receipts.isEmpty()) {
      var unused = subscriber.settle(receipts, Settlement.release());
    }
  }
}
