package com.wookler.river.benchmarks.jmh;

import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.time.Duration;
import java.util.List;

/** Takes what must be there: a benchmark that measures empty polls would look fast. */
final class Taken {
  private static final Duration NO_WAIT = Duration.ZERO;

  private Taken() {}

  /** One message. */
  static <M> Delivery<M> one(Subscriber<M> subscriber) {
    Delivery<M> delivery = subscriber.next();
    if (delivery == null) {
      throw new IllegalStateException("no message is left: " + subscriber.stats());
    }
    return delivery;
  }

  /** So many at once. */
  static <M> List<Delivery<M>> exactly(Subscriber<M> subscriber, int count)
      throws InterruptedException {
    List<Delivery<M>> deliveries = subscriber.batch(count, NO_WAIT);
    if (deliveries.size() != count) {
      throw new IllegalStateException(deliveries.size() + " messages: " + subscriber.stats());
    }
    return deliveries;
  }
}
