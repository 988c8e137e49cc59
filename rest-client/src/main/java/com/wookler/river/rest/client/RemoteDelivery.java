package com.wookler.river.rest.client;

import java.time.Duration;
import java.util.List;

/**
 * One hand-over of one message. What is not decided over in the subscriber's time comes again.
 *
 * <p>Thread-safe. Each verdict asks the server that the message came from, and throws {@link
 * StaleReceiptException} when a later delivery of the same message exists or it was finished
 * otherwise; nothing changes then. Repeating the verdict that took effect is harmless.
 */
public final class RemoteDelivery extends StoredMessage {
  private final RemoteSubscriber subscriber;
  private final Server server;

  RemoteDelivery(RemoteSubscriber subscriber, Server server, Wire.MessageJson read) {
    super(read);
    this.subscriber = subscriber;
    this.server = server;
  }

  /** Names this delivery, and no other of the same message. */
  public String receipt() {
    return String.valueOf(read().receipt());
  }

  /** 1 for the first delivery of this message to this subscriber, one more at each further one. */
  public int attempt() {
    return read().attempt();
  }

  /** Where it came from. */
  Server server() {
    return server;
  }

  /** Finishes the message. */
  public void ack() {
    decide(Settlement.ack());
  }

  /**
   * Gives the message back to be delivered again after a delay; the attempt counts.
   *
   * @param delay zero or more, in whole milliseconds
   */
  public void nack(Duration delay) {
    decide(Settlement.nack(delay));
  }

  /** Likewise, after the subscriber's backoff for this attempt. */
  public void nack() {
    decide(Settlement.nack());
  }

  /**
   * Gives the message up: it becomes a dead letter, and is delivered no more.
   *
   * @param reason kept with it; 1 to 1,024 characters
   */
  public void reject(String reason) {
    decide(Settlement.reject(reason));
  }

  /** Gives the message back unprocessed: available at once, and this attempt does not count. */
  public void release() {
    decide(Settlement.release());
  }

  /**
   * Sets the time until the message is delivered again to this long from now; at most 12 hours
   * after the hand-over.
   *
   * @param time positive, in whole milliseconds
   */
  public void extend(Duration time) {
    decide(Settlement.extend(time));
  }

  private void decide(Settlement settlement) {
    subscriber.decide(List.of(this), settlement);
  }
}
