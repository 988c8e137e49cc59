package com.wookler.river.core.subscriber;

import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.message.Terms;

/**
 * A delivery of a message with an id, an expiry or a delay: few have one, and the others pay
 * nothing. One that was delayed has the sequence and publish time of the message for its consumer,
 * and within River the place of the re-enqueued copy.
 */
final class TermedDelivery<M> extends MessageDelivery<M> {
  private final Terms terms;

  TermedDelivery(DeliveryOwner<M> owner, StoredMessage message, Terms terms) {
    super(
        owner,
        message.sequence(),
        message.originalMicros(),
        message.data(),
        message.key(),
        message.headers());
    this.terms = terms;
  }

  @Override
  public long sequence() {
    Terms.Origin origin = terms.origin();
    return origin == null ? place() : origin.sequence();
  }

  @Override
  Terms terms() {
    return terms;
  }

  @Override
  StoredMessage stored() {
    Terms.Origin origin = terms.origin();
    return stored(origin == null ? null : new Terms(null, 0, 0, origin));
  }
}
