package com.wookler.river.rest.client;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One delivery of a message. A message that is not acknowledged within the subscriber's
 * acknowledgement timeout is delivered again.
 *
 * <p>Thread-safe. Each acknowledgement goes to the server that the message came from. It throws
 * {@link StaleReceiptException}, and changes nothing, if a later delivery of the same message
 * exists or the message was completed otherwise. Repeating an acknowledgement that took effect has
 * no effect.
 */
public final class RemoteDelivery extends StoredMessage {
  private final RemoteSubscriber subscriber;
  private final Server server;

  RemoteDelivery(RemoteSubscriber subscriber, Server server, JsonCodec.MessageJson read) {
    super(read);
    this.subscriber = subscriber;
    this.server = server;
  }

  /** Returns the receipt, which identifies this delivery among all of the same message. */
  public String receipt() {
    return String.valueOf(read().receipt());
  }

  /** Returns the number of this delivery of the message to this subscriber, from 1. */
  public int attempt() {
    return read().attempt();
  }

  /**
   * Returns why an earlier delivery of the message to this subscriber failed last, if a consumer
   * said so and the server has not forgotten it; else null.
   */
  public @Nullable String previousFailure() {
    return read().previousFailure();
  }

  /** Returns the server that the message came from. */
  Server server() {
    return server;
  }

  /** Acknowledges the message. */
  public void ack() {
    acknowledge(Acknowledgement.ack());
  }

  /**
   * Returns the message to be delivered again after a delay. The attempt counts.
   *
   * @param delay zero or more, in whole milliseconds
   */
  public void nack(Duration delay) {
    acknowledge(Acknowledgement.nack(delay));
  }

  /**
   * Returns the message to be delivered again after the subscriber's backoff for this attempt. The
   * attempt counts.
   */
  public void nack() {
    acknowledge(Acknowledgement.nack());
  }

  /**
   * Returns the message as {@link #nack()} does, and says why: for {@link #previousFailure} of the
   * next delivery and, after the last one, the dead letter.
   *
   * @param reason 1 to 1,024 characters
   */
  public void fail(String reason) {
    acknowledge(Acknowledgement.fail(reason));
  }

  /**
   * Publishes messages to a queue of the same server and acknowledges this one, both or neither: if
   * the server is killed in between, the message is delivered again, and what is published with a
   * further delivery is left out.
   *
   * @param messages one or more, published as one; their ids have no effect
   */
  public void ackAndPublish(RemoteQueue queue, List<NewMessage> messages) {
    subscriber.ackAndPublish(this, queue, messages);
  }

  /**
   * Rejects the message: it becomes a dead letter, and is not delivered again.
   *
   * @param reason stored with the dead letter; 1 to 1,024 characters
   */
  public void reject(String reason) {
    acknowledge(Acknowledgement.reject(reason));
  }

  /**
   * Releases the message unprocessed: it can be delivered at once, and this attempt does not count.
   */
  public void release() {
    acknowledge(Acknowledgement.release());
  }

  /**
   * Sets the acknowledgement timeout to end this long from now, at most 12 hours after the
   * delivery.
   *
   * @param time positive, in whole milliseconds
   */
  public void extend(Duration time) {
    acknowledge(Acknowledgement.extend(time));
  }

  private void acknowledge(Acknowledgement action) {
    subscriber.acknowledge(List.of(this), action);
  }
}
