package com.wookler.river.core.subscriber;

import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.Terms;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies a subscriber's filter, on the polling thread and without a lock. The message was
 * delivered before: if the filter ends the process, the attempt counts.
 */
final class FilterStage<M> {
  private static final Logger LOG = LoggerFactory.getLogger(FilterStage.class);

  private final SubscriberErrors errors;
  private final AckHandler<M> ackHandler;
  private final Predicate<Delivery<M>> filter;

  FilterStage(SubscriberErrors errors, AckHandler<M> ackHandler, Predicate<?> filter) {
    this.errors = errors;
    this.ackHandler = ackHandler;
    this.filter = filter instanceof FilterExpression own ? own::matches : overMessages(filter);
  }

  @SuppressWarnings("unchecked") // what it filters is up to who sets it, as in XML
  private static <M> Predicate<Delivery<M>> overMessages(Predicate<?> filter) {
    Predicate<Message<M>> wanted = (Predicate<Message<M>>) filter;
    return delivery -> wanted.test(message(delivery));
  }

  /** Returns whether the consumer gets the message; if not, it is acknowledged or given back. */
  boolean passes(MessageDelivery<M> delivery) {
    boolean passes;
    try {
      passes = filter.test(delivery);
    } catch (Throwable e) { // the user's, the converter's too
      LOG.warn(
          "Queue {}, subscriber {}: the filter threw at sequence {}: {}",
          errors.queue(),
          errors.subscriber(),
          delivery.sequence(),
          e.toString());
      ackHandler.filterFailed(delivery, e);
      return false;
    }
    if (!passes) {
      ackHandler.refuse(delivery);
    }
    return passes;
  }

  /** Returns whether it would be delivered; one at which the filter throws would come again. */
  boolean wouldPass(Delivery<M> delivery) {
    try {
      return filter.test(delivery);
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
    Terms terms = terms(delivery);
    return terms == null ? message : withTerms(message, terms);
  }

  private static @Nullable Terms terms(Delivery<?> delivery) {
    if (delivery instanceof MessageDelivery<?> deliveredEnd) {
      return deliveredEnd.terms();
    }
    return delivery instanceof ReadOnlyDelivery<?> looked ? looked.terms() : null;
  }

  private static <M> Message<M> withTerms(Message<M> plain, Terms terms) {
    Message<M> message = plain;
    String id = terms.id();
    if (id != null) {
      message = message.withId(id);
    }
    if (terms.expiryMicros() > 0) {
      message = message.expiresAfter(Duration.of(terms.expiryMicros(), ChronoUnit.MICROS));
    }
    return message;
  }
}
