package com.wookler.river.rest.server.hosting;

import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Settlement;
import com.wookler.river.core.subscriber.Subscriber;
import java.util.List;

/**
 * A subscriber of a queue that the server serves.
 *
 * @param queue the queue's name
 * @param subscriber the subscriber
 */
public record HostedSubscriber<M>(String queue, Subscriber<M> subscriber) {
  /**
   * Returns the next messages without delivering them, fewer than {@code max} if their data reaches
   * {@code bytes}.
   */
  public List<Delivery<M>> peek(int max, long bytes) {
    return BoundedReader.readFirst(max, bytes, subscriber::peek);
  }

  /**
   * Returns the oldest dead letters, fewer than {@code max} if their data reaches {@code bytes}.
   */
  public List<Delivery<M>> oldestDead(int max, long bytes) {
    return BoundedReader.readFirst(max, bytes, subscriber.deadLetters()::peek);
  }

  /** Releases deliveries that did not reach the client. Those completed by now stay completed. */
  public void release(List<String> receipts) {
    if (subscriber.config().ackRequired() && !receipts.isEmpty()) {
      var unused = subscriber.settle(receipts, Settlement.release());
    }
  }
}
