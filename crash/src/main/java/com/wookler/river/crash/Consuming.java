package com.wookler.river.crash;

import com.wookler.river.core.message.StaleReceiptException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.crash.Journal.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** One consuming thread. */
final class Consuming {
  private static final Duration WAIT = Duration.ofMillis(50);
  private static final int LEAVE_ONE_OF = 200;
  private static final int MOST = 100;

  private final Subscriber<byte[]> subscriber;
  private final Journal journal;
  private final int largest;

  Consuming(Subscriber<byte[]> subscriber, Journal journal, int largest) {
    this.subscriber = subscriber;
    this.journal = journal;
    this.largest = largest;
  }

  /** A batch without acknowledgement. */
  void takePlain() throws InterruptedException {
    note(subscriber.batch(Scenario.PLAIN_BATCH, WAIT));
  }

  /** A batch most of which is acked; what is left comes again. */
  void takeAndAck(SplittableRandom random) throws InterruptedException {
    List<Delivery<byte[]>> deliveries = subscriber.batch(1 + random.nextInt(MOST), WAIT);
    if (deliveries.isEmpty()) {
      return;
    }
    note(deliveries);
    List<Delivery<byte[]>> due = new ArrayList<>();
    for (Delivery<byte[]> delivery : deliveries) {
      if (delivery.attempt() > 1 || random.nextInt(LEAVE_ONE_OF) > 0) {
        due.add(delivery);
      }
    }
    note(Kind.ACKING, due);
    if (random.nextBoolean()) {
      ackTogether(due);
    } else {
      due.forEach(this::ackAlone);
    }
  }

  private void ackTogether(List<Delivery<byte[]>> due) {
    try {
      subscriber.ack(due);
      note(Kind.ACKED, due);
    } catch (StaleReceiptException e) {
      // one took too long on a busy machine: nothing is promised for the rest of them
      note(Kind.STALE, due);
    }
  }

  private void ackAlone(Delivery<byte[]> delivery) {
    try {
      delivery.ack();
      journal.append(Kind.ACKED, delivery.sequence(), delivery.attempt(), 0);
    } catch (StaleReceiptException e) {
      journal.append(Kind.STALE, delivery.sequence(), delivery.attempt(), 0);
    }
  }

  private void note(List<Delivery<byte[]>> deliveries) {
    for (Delivery<byte[]> delivery : deliveries) {
      long id = Content.check(delivery, largest);
      journal.append(Kind.DELIVERED, delivery.sequence(), delivery.attempt(), id);
    }
  }

  private void note(Kind kind, List<Delivery<byte[]>> deliveries) {
    for (Delivery<byte[]> delivery : deliveries) {
      journal.append(kind, delivery.sequence(), delivery.attempt(), 0);
    }
  }

  /**
   * Takes all that is there.
   *
   * @return how many
   */
  long drain(boolean ack) throws InterruptedException {
    long taken = 0;
    while (true) {
      List<Delivery<byte[]>> deliveries = subscriber.batch(Scenario.PLAIN_BATCH, Duration.ZERO);
      if (deliveries.isEmpty()) {
        return taken;
      }
      note(deliveries);
      if (ack) {
        ackTogether(deliveries);
      }
      taken += deliveries.size();
    }
  }
}
