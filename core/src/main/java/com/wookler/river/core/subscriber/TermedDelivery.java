package com.wookler.river.core.subscriber;

import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.message.Terms;

/** A delivery of a message with an id or an expiry: few have one, and the others pay nothing. */
class TermedDelivery<M> extends MessageDelivery<M> {
  private final Terms terms;

  TermedDelivery(DeliveryOwner<M> owner, StoredMessage message, Terms terms) {
    this(owner, message, terms, message.publishedMicros());
  }

  TermedDelivery(DeliveryOwner<M> owner, StoredMessage message, Terms terms, long publishedMicros) {
    super(
        owner,
        message.sequence(),
        publishedMicros,
        message.data(),
        message.key(),
        message.headers());
    this.terms = terms;
  }

  @Override
  final Terms terms() {
    return terms;
  }
}
