package com.wookler.river.rest.server;

import com.wookler.river.core.subscriber.DeadLetters;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Settlement;
import com.wookler.river.core.subscriber.Subscriber;
import io.vertx.core.buffer.Buffer;
import java.util.List;

/**
 * A subscriber of a queue that the server offers.
 *
 * @param queue the queue's name
 * @param subscriber itself
 */
record HostedSubscriber<M>(String queue, Subscriber<M> subscriber) {
  /** What would be taken next. */
  Buffer peek(int max, long bytes) {
    return MessageJson.messages(Bounded.first(max, bytes, subscriber::peek));
  }

  /** The oldest dead letters. */
  Buffer dead(int max, long bytes) {
    DeadLetters<M> letters = subscriber.deadLetters();
    List<Delivery<M>> oldest = Bounded.first(max, bytes, letters::peek);
    return MessageJson.messages(letters.size(), oldest);
  }

  /** Gives back, unprocessed, what nobody was told of; what is finished by now stays so. */
  void giveBack(List<String> receipts) {
    if (subscriber.config().ackRequired() && !receipts.isEmpty()) {
      var unused = subscriber.settle(receipts, Settlement.release());
    }
  }
}
