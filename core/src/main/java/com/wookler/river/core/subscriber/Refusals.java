package com.wookler.river.core.subscriber;

import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.StaleReceiptException;

/**
 * What a subscriber says when it refuses.
 *
 * @param queue name of the queue
 * @param subscriber its name
 */
record Refusals(String queue, String subscriber) {

  QueueClosedException closed() {
    return new QueueClosedException(
        "subscriber " + subscriber + " of queue " + queue + " is closed");
  }

  IllegalArgumentException foreign() {
    return new IllegalArgumentException(
        "the delivery is not one of subscriber " + subscriber + " of queue " + queue);
  }

  StaleReceiptException stale(MessageDelivery<?> delivery) {
    return new StaleReceiptException(
        "queue "
            + queue
            + ", subscriber "
            + subscriber
            + ", sequence "
            + delivery.sequence()
            + ": the receipt of attempt "
            + delivery.attempt()
            + " is stale; the message was delivered again, given back or finished otherwise");
  }
}
