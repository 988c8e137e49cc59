package com.wookler.river.core.subscriber;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.QueueStatus;
import com.wookler.river.core.message.QueueStatusException;
import com.wookler.river.core.message.StaleReceiptException;
import org.jspecify.annotations.Nullable;

/** Creates the exceptions of a subscriber. */
record SubscriberErrors(String queue, String subscriber) {

  private String who() {
    return "queue " + queue + ", subscriber " + subscriber;
  }

  private String at(long sequence) {
    return who() + ", sequence " + sequence;
  }

  QueueClosedException closed() {
    return new QueueClosedException(
        "subscriber " + subscriber + " of queue " + queue + " is closed");
  }

  RiverException unforced(@Nullable Throwable cause) {
    String text =
        who()
            + ": acknowledged, but it may not be on the device, and no later acknowledgement of this"
            + " object will be promised to be; close the subscriber and open it again";
    return cause == null
        ? new RiverException(text)
        : new RiverException(text + ": " + cause, cause);
  }

  RiverException unwritten() {
    return new RiverException(
        who()
            + ": acknowledged, but in memory only, because the disk is full or failing; free some"
            + " space. A kill or a power loss has the message delivered again");
  }

  RiverException handlerFailed(long sequence, Exception cause) {
    return new RiverException(
        at(sequence) + ": the handler failed, and the message counts as failed: " + cause, cause);
  }

  IllegalArgumentException foreign() {
    return new IllegalArgumentException(
        "the delivery is not one of subscriber " + subscriber + " of queue " + queue);
  }

  QueueStatusException refused(QueueStatus status) {
    return new QueueStatusException(who() + ": the queue", status, "acknowledgements");
  }

  StaleReceiptException stale(long sequence, int attempt) {
    return new StaleReceiptException(
        at(sequence)
            + ": the receipt of attempt "
            + attempt
            + " is stale; the message was delivered again, given back or finished otherwise");
  }
}
