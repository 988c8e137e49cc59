package com.wookler.river.examples;

import com.wookler.river.common.TimeSource;
import com.wookler.river.rest.client.RemoteDelivery;
import com.wookler.river.rest.client.RemoteSubscriber;
import com.wookler.river.rest.client.RiverClientException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Takes events from a server, which may go away: what it had not acknowledged comes again then, and
 * is known by its number. Runs on one thread; others see how far it is.
 */
final class RelayConsumer {
  /** Name of the header that numbers events from 0. */
  static final String NUMBER = "number";

  private static final Duration WAIT = Duration.ofSeconds(1);
  private static final Duration PAUSE = Duration.ofMillis(100);
  private static final int BATCH = 200;

  private final RemoteSubscriber subscriber;
  private volatile int consumed; // by its thread only
  private final AtomicInteger repeated = new AtomicInteger();
  private volatile boolean inOrder = true; // likewise

  RelayConsumer(RemoteSubscriber subscriber) {
    this.subscriber = subscriber;
  }

  int consumed() {
    return consumed;
  }

  /** How many came again. */
  int repeated() {
    return repeated.get();
  }

  /** Whether each came behind all before it, the first time that it came. */
  boolean inOrder() {
    return inOrder;
  }

  /** Takes so many. */
  void run(int count) throws InterruptedException {
    while (consumed < count) {
      try {
        List<RemoteDelivery> batch = subscriber.batch(BATCH, WAIT);
        batch.forEach(this::take);
        if (!batch.isEmpty()) {
          subscriber.ack(batch);
        }
      } catch (RiverClientException e) {
        pause(); // what was not acknowledged comes again
      }
    }
  }

  private static void pause() throws InterruptedException {
    TimeSource.system().park(RelayConsumer.class, PAUSE.toNanos());
    if (Thread.interrupted()) {
      throw new InterruptedException("the consumer was interrupted");
    }
  }

  private void take(RemoteDelivery delivery) {
    int number = Integer.parseInt(String.valueOf(delivery.header(NUMBER)));
    if (number < consumed) {
      repeated.incrementAndGet();
      return;
    }
    inOrder = inOrder && number == consumed;
    consumed = number + 1;
  }
}
