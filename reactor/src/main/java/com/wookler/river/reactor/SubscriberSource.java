package com.wookler.river.reactor;

import com.wookler.river.core.message.StaleReceiptException;
import com.wookler.river.core.subscriber.Backoff;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Settlement;
import com.wookler.river.core.subscriber.Subscriber;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * A queue's subscriber as a source. A reactor of it uses the subscriber itself.
 *
 * @param <M> type of the data
 */
record SubscriberSource<M>(Subscriber<M> subscriber) implements DeliverySource<M> {
  @Override
  public String name() {
    return subscriber.name();
  }

  @Override
  public String origin() {
    return subscriber.origin();
  }

  @Override
  public Set<Capability> capabilities() {
    return Set.of(Capability.of(subscriber.config().order()));
  }

  @Override
  public Backoff backoff() {
    return subscriber.config().backoff();
  }

  @Override
  public Consumer<M> consumer(int max) {
    return new OfSubscriber<>(subscriber, max);
  }

  /** Confined to one thread, as every consumer. */
  private static final class OfSubscriber<M> implements Consumer<M> {
    private final Subscriber<M> subscriber;
    private final int max;
    private List<Delivery<M>> taken = List.of();

    private OfSubscriber(Subscriber<M> subscriber, int max) {
      this.subscriber = subscriber;
      this.max = max;
    }

    @Override
    public List<Delivery<M>> take(Duration timeout) throws InterruptedException {
      taken = subscriber.batch(max, timeout);
      return taken;
    }

    @Override
    public void settle(List<Settlement> answers) {
      IntStream.range(0, taken.size()).forEach(i -> settle(taken.get(i), answers.get(i)));
      taken = List.of();
    }

    private static void settle(Delivery<?> delivery, Settlement answer) {
      try {
        if (answer instanceof Settlement.Nack nack) {
          delivery.nack(nack.delay(), nack.reason() == null ? "" : nack.reason());
        } else if (answer instanceof Settlement.Reject reject) {
          delivery.reject(reject.reason());
        } else if (answer instanceof Settlement.Ack) {
          delivery.ack();
        } else {
          delivery.release();
        }
      } catch (StaleReceiptException e) {
        // It took longer than the lease, and is delivered again.
      }
    }

    @Override
    public Duration lease() {
      return subscriber.config().ackTimeout();
    }

    @Override
    public void keepAlive() {
      for (Delivery<M> delivery : taken) {
        try {
          delivery.extend(lease());
        } catch (StaleReceiptException e) {
          // It is delivered again.
        }
      }
    }

    @Override
    public void close() {
      taken.forEach(each -> settle(each, Settlement.release()));
    }
  }
}
