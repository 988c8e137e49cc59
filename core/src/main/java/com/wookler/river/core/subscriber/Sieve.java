package com.wookler.river.core.subscriber;

import com.wookler.river.core.message.Message;
import java.util.Map;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks a subscriber's filter, on the polling thread and without a lock. The message was handed over
 * for it: a filter that ends the process has the attempt counted.
 */
final class Sieve<M> {
  private static final Logger LOG = LoggerFactory.getLogger(Sieve.class);

  private final SubscriberState<M> state;
  private final Predicate<Message<M>> filter;

  @SuppressWarnings("unchecked") // what it filters is up to who sets it, as in XML
  Sieve(SubscriberState<M> state, Predicate<?> filter) {
    this.state = state;
    this.filter = (Predicate<Message<M>>) filter;
  }

  /** Whether the consumer gets the message; what it does not get is decided. */
  boolean passes(MessageDelivery<M> delivery, Decisions<M> decisions) {
    boolean passes;
    try {
      passes = filter.test(message(delivery));
    } catch (Throwable e) { // the user's, the converter's too
      LOG.warn(
          "Queue {}, subscriber {}: the filter threw at sequence {}: {}",
          state.refusals.queue(),
          state.config.name(),
          delivery.sequence(),
          e.toString());
      decisions.filterFailed(delivery, e);
      return false;
    }
    if (!passes) {
      decisions.refuse(delivery);
    }
    return passes;
  }

  /** Whether it would be handed over; one at which the filter throws would come again. */
  boolean wouldPass(Delivery<M> delivery) {
    try {
      return filter.test(message(delivery));
    } catch (RuntimeException e) {
      return true;
    }
  }

  private static <M> Message<M> message(Delivery<M> delivery) {
    Message<M> message = Message.of(delivery.data());
    String key = delivery.key();
    if (key != null) {
      message = message.withKey(key);
    }
    for (Map.Entry<String, byte[]> header : delivery.headers().entrySet()) {
      message = message.withHeader(header.getKey(), header.getValue());
    }
    return message;
  }
}
