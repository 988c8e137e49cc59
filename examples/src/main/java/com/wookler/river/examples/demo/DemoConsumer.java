package com.wookler.river.examples.demo;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.StaleReceiptException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.examples.demo.DeliveryRecord.Reason;
import com.wookler.river.examples.utils.Workers;
import java.time.Duration;
import java.util.List;

/**
 * One consumer of a subscriber: records each delivery and acknowledges it, unless the subscriber
 * withholds that, until the subscriber has completed every event.
 */
final class DemoConsumer implements Workers.Task {
  private static final int BATCH = 50;
  private static final Duration POLL = Duration.ofMillis(100);

  private final DemoSubscriber role;
  private final int index;
  private final DemoContext context;
  private final DeliveryRecord record;
  private final RateLimiter limiter;

  /** Creates a consumer of a subscriber. */
  DemoConsumer(
      DemoSubscriber role,
      int index,
      DemoContext context,
      DeliveryRecord record,
      RateLimiter limiter) {
    this.role = role;
    this.index = index;
    this.context = context;
    this.record = record;
    this.limiter = limiter;
  }

  @Override
  public void run() throws InterruptedException {
    MessageQueue<String> queue = context.handle().current();
    while (!record.complete()) {
      try {
        consume(queue.subscriber(role.config()));
      } catch (QueueClosedException e) {
        queue = context.handle().after(queue);
      }
    }
  }

  private void consume(Subscriber<String> subscriber) throws InterruptedException {
    while (!record.complete()) {
      List<Delivery<String>> batch = subscriber.batch(BATCH, POLL);
      for (Delivery<String> delivery : batch) {
        take(delivery);
      }
      limiter.acquire(batch.size());
    }
  }

  private void take(Delivery<String> delivery) {
    int number = context.events().number(delivery);
    if (number < 0) {
      record.foreign(delivery.sequence());
      delivery.ack();
      return;
    }
    boolean intact = context.events().intact(number, delivery.data());
    record.delivered(index, number, delivery.sequence(), delivery.attempt(), intact);
    if (role.withholds(number, delivery.attempt())) {
      record.unfinished(number, Reason.WITHHELD);
    } else if (role.acks) {
      acknowledge(delivery, number);
    }
  }

  private void acknowledge(Delivery<String> delivery, int number) {
    try {
      delivery.ack();
      record.acknowledged(number);
    } catch (StaleReceiptException e) {
      record.unfinished(number, Reason.LATE);
    } catch (QueueClosedException e) {
      record.unfinished(number, Reason.RESTART);
    }
  }
}
