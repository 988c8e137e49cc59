package com.wookler.river.benchmarks.programs;

import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How one client reads. Plain: a get is {@code next} and its ack. Transactional, the original's
 * {@code /close/open}: a get acknowledges what the last one took, then takes the next.
 *
 * <p>Not thread-safe: one a client.
 */
final class Getter implements AutoCloseable {
  /** How long a get that waits waits. */
  static final Duration PATIENCE = Duration.ofSeconds(1);

  private final Subscriber<byte[]> subscriber;
  private final boolean transactional;
  private @Nullable Delivery<byte[]> open; // taken, not acknowledged yet

  /** For one client. */
  Getter(Subscriber<byte[]> subscriber, boolean transactional) {
    this.subscriber = subscriber;
    this.transactional = transactional;
  }

  /** One get, waiting for {@link #PATIENCE} or not at all; null is a miss. */
  byte @Nullable [] get(boolean waiting) throws InterruptedException {
    close();
    Delivery<byte[]> delivery = waiting ? subscriber.next(PATIENCE) : subscriber.next();
    if (delivery == null) {
      return null;
    }
    if (transactional) {
      open = delivery;
    } else {
      delivery.ack();
    }
    return delivery.data();
  }

  /** Up to so many and their acknowledgement; empty is a miss. */
  List<byte[]> get(int max) throws InterruptedException {
    List<Delivery<byte[]>> deliveries = subscriber.batch(max, PATIENCE);
    subscriber.ack(deliveries);
    return deliveries.stream().map(Delivery::data).toList();
  }

  /** A get whose client is gone before it has the reply: what was taken goes to another. */
  void lose() {
    close();
    Delivery<byte[]> delivery = subscriber.next();
    if (delivery != null) {
      delivery.release();
    }
  }

  /** Acknowledges what the last get took. */
  @Override
  public void close() {
    Delivery<byte[]> last = open;
    if (last != null) {
      open = null;
      last.ack();
    }
  }
}
