package com.wookler.river.examples.demo;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.StaleReceiptException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.examples.demo.Ledger.Reason;
import com.wookler.river.examples.utils.Workers;
import java.time.Duration;
import java.util.List;

/**
 * One consumer of a subscriber: enters each delivery in the subscriber's ledger and acknowledges
 * it, unless its role says otherwise, until the subscriber has finished every event.
 */
final class DemoConsumer implements Workers.Task {
  private static final int BATCH = 50;
  private static final Duration POLL = Duration.ofMillis(100);

  private final Role role;
  private final int index;
  private final Stage stage;
  private final Ledger ledger;
  private final Pace pace;

  /** Consumer {@code index} of the role's. */
  DemoConsumer(Role role, int index, Stage stage, Ledger ledger, Pace pace) {
    this.role = role;
    this.index = index;
    this.stage = stage;
    this.ledger = ledger;
    this.pace = pace;
  }

  @Override
  public void run() throws InterruptedException {
    MessageQueue<String> queue = stage.handle().current();
    while (!ledger.complete()) {
      try {
        consume(queue.subscriber(role.config()));
      } catch (QueueClosedException e) {
        queue = stage.handle().after(queue);
      }
    }
  }

  private void consume(Subscriber<String> subscriber) throws InterruptedException {
    while (!ledger.complete()) {
      List<Delivery<String>> batch = subscriber.batch(BATCH, POLL);
      for (Delivery<String> delivery : batch) {
        take(delivery);
      }
      pace.step(batch.size());
    }
  }

  private void take(Delivery<String> delivery) {
    int number = stage.events().number(delivery);
    if (number < 0) {
      ledger.foreign(delivery.sequence());
      delivery.ack();
      return;
    }
    boolean intact = stage.events().intact(number, delivery.data());
    ledger.delivered(index, number, delivery.sequence(), delivery.attempt(), intact);
    if (role.withholds(number, delivery.attempt())) {
      ledger.unfinished(number, Reason.WITHHELD);
    } else if (role.acks) {
      acknowledge(delivery, number);
    }
  }

  private void acknowledge(Delivery<String> delivery, int number) {
    try {
      delivery.ack();
      ledger.acknowledged(number);
    } catch (StaleReceiptException e) {
      ledger.unfinished(number, Reason.LATE);
    } catch (QueueClosedException e) {
      ledger.unfinished(number, Reason.RESTART);
    }
  }
}
