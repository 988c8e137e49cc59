package com.wookler.river.rest.server.hosting;

import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Settlement;
import com.wookler.river.core.subscriber.Subscriber;
import java.util.List;

/**
 * A subscriber of a queue that the server offers.
 *
 * @param queue the queue's name
 * @param subscriber itself
 */
public record HostedSubscriber<M>(String queue, Subscriber<M> subscriber) {
  /** Returns what would be taken next, fewer than {@code max} if they have more data than this. */
  public List<Delivery<M>> peek(int max, long bytes) {
    return Bounded.first(max, bytes, subscriber::peek);
  }

  /** Returns the oldest dead letters, fewer than {@code max} if they have more data than this. */
  public List<Delivery<M>> oldestDead(int max, long bytes) {
    return Bounded.first(max, bytes, subscriber.deadLetters()::peek);
  }

  /** Gives back, unprocessed, what nobody was told of; what is finished by now stays so. */
  public void giveBack(List<String> receipts) {
    if (subscriber.config().ackRequired() && !receipts.isEmpty()) {
      var unused = subscriber.settle(receipts, Settlement.release());
    }
  }
}
