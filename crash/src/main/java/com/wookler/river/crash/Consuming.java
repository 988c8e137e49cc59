package com.wookler.river.crash;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.core.message.StaleReceiptException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.crash.Journal.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Takes from one subscriber; its threads share it. A damaged message stops a subscriber until it
 * seeks past it, which is done here where damage is to be expected.
 */
final class Consuming {
  private static final Duration WAIT = Duration.ofMillis(50);
  private static final int LEAVE_ONE_OF = 200;
  private static final int MOST = 100;
  private static final Pattern TORN = // and not a block that cannot be opened just now
      Pattern.compile("sequence ([0-9]+): damaged: .*(checksum|document)");

  private final Subscriber<byte[]> subscriber;
  private final Journal journal;
  private final Scenario scenario;

  @GuardedBy("this")
  private long passed = -1;

  Consuming(Subscriber<byte[]> subscriber, Journal journal, Scenario scenario) {
    this.subscriber = subscriber;
    this.journal = journal;
    this.scenario = scenario;
  }

  private List<Delivery<byte[]>> batch(int most, Duration timeout) throws InterruptedException {
    while (true) {
      try {
        return subscriber.batch(most, timeout);
      } catch (DamagedException e) {
        Matcher lost = TORN.matcher(String.valueOf(e.getMessage()));
        if (!scenario.faulty() || !lost.find()) {
          throw e;
        }
        passOver(Long.parseLong(lost.group(1)));
      }
    }
  }

  /** Once for each: another thread that met it too must not take the subscriber back. */
  private synchronized void passOver(long sequence) {
    if (sequence > passed) {
      passed = sequence;
      journal.append(Kind.PASSED, sequence, 0, 0);
      subscriber.seek(Position.sequence(sequence + 1));
    }
  }

  /** A batch without acknowledgement. */
  void takePlain() throws InterruptedException {
    note(batch(Scenario.PLAIN_BATCH, WAIT));
  }

  /** A batch most of which is acked; what is left comes again. */
  void takeAndAck(SplittableRandom random) throws InterruptedException {
    List<Delivery<byte[]>> deliveries = batch(1 + random.nextInt(MOST), WAIT);
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
      long id = Content.check(delivery, scenario.largest());
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
      List<Delivery<byte[]>> deliveries = batch(Scenario.PLAIN_BATCH, Duration.ZERO);
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
