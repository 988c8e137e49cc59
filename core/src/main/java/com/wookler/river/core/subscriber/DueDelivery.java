package com.wookler.river.core.subscriber;

import com.wookler.river.core.message.Micros;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.message.Terms;
import java.time.Instant;

/**
 * A delivery of a message that was delayed: to its consumer it has the sequence and publish time of
 * the message, within River the place of the copy that was made when it was due.
 */
final class DueDelivery<M> extends TermedDelivery<M> {
  private final Terms.Origin origin;

  DueDelivery(DeliveryOwner<M> owner, StoredMessage copy, Terms terms, Terms.Origin origin) {
    super(owner, copy, terms, origin.micros());
    this.origin = origin;
  }

  @Override
  public long sequence() {
    return origin.sequence();
  }

  @Override
  public Instant publishedAt() {
    return Micros.toInstant(origin.micros());
  }

  @Override
  StoredMessage stored() {
    return stored(new Terms(null, 0, 0, origin));
  }
}
