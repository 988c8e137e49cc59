package com.wookler.river.examples;

import com.wookler.river.common.TimeSource;
import com.wookler.river.rest.client.RemoteDelivery;
import com.wookler.river.rest.client.RemoteSubscriber;
import com.wookler.river.rest.client.RiverClientException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Consumes events from a server that may be stopped: events that were not acknowledged then are
 * delivered again, and recognized by their number. Runs on one thread; others read its progress.
 */
final class RelayConsumer {
  /** Name of the header that numbers events from 0. */
  static final String NUMBER = "number";

  private static final Duration WAIT = Duration.ofSeconds(1);
  private static final Duration PAUSE = Duration.ofMillis(100);
  private static final int BATCH = 200;

  private final RemoteSubscriber subscriber;
  private volatile int consumed; // written by its thread only
  private final AtomicInteger repeated = new AtomicInteger();
  private volatile boolean inOrder = true; // written by its thread only

  RelayConsumer(RemoteSubscriber subscriber) {
    this.subscriber = subscriber;
  }

  int consumed() {
    return consumed;
  }

  /** Returns the number of redelivered events. */
  int repeated() {
    return repeated.get();
  }

  /** Returns whether the first deliveries of all events were in order. */
  boolean inOrder() {
    return inOrder;
  }

  /** Consumes a number of events. */
  void run(int count) throws InterruptedException {
    while (consumed < count) {
      try {
        List<RemoteDelivery> batch = subscriber.batch(BATCH, WAIT);
        batch.forEach(this::take);
        if (!batch.isEmpty()) {
          subscriber.ack(batch);
        }
      } catch (RiverClientException e) {
        pause(); // events that were not acknowledged are delivered again
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
