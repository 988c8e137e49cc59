package com.wookler.river.examples.demo;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.utils.Amount;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Records the deliveries of each event to one subscriber, as its consumers see them. The result of
 * the demo is based on this and not on counters of the queue. Thread-safe.
 *
 * <p>Each delivery is acknowledged, or left uncompleted for a {@link Reason}; for a subscriber
 * without acknowledgement, the delivery itself completes the event. A redelivery is therefore
 * expected if, and only if, an earlier delivery of that event was left uncompleted.
 *
 * <p>Order is checked by first deliveries. Consumers that share a subscriber receive messages
 * concurrently, so that the order between them is unknown; but the sequences of one consumer must
 * ascend.
 */
final class DeliveryRecord {
  /** The reasons for leaving a delivery uncompleted. */
  enum Reason {
    /** On purpose, to show redelivery. */
    WITHHELD("not acknowledged on purpose"),
    /** The queue was closed before it could be acknowledged. */
    RESTART("in flight at the restart"),
    /** The acknowledgement timeout had passed, so that the acknowledgement was stale. */
    LATE("acknowledged after the timeout");

    final String words;

    Reason(String words) {
      this.words = words;
    }
  }

  private static final int SHOWN = 5;

  private final String name;
  private final boolean acks;
  private final int publishers;

  @GuardedBy("this")
  private final int[] deliveries;

  @GuardedBy("this")
  private final int[] unfinished;

  @GuardedBy("this")
  private final int[] acknowledged;

  @GuardedBy("this")
  private final long[] sequences;

  @GuardedBy("this")
  private final int[][] lastNumber;

  @GuardedBy("this")
  private final long[] lastSequence;

  @GuardedBy("this")
  private final Map<Reason, Integer> reasons = new EnumMap<>(Reason.class);

  @GuardedBy("this")
  private final List<String> violations = new ArrayList<>();

  @GuardedBy("this")
  private int violationCount;

  @GuardedBy("this")
  private int distinct;

  @GuardedBy("this")
  private int finished;

  @GuardedBy("this")
  private long repeated;

  /**
   * Creates an empty record.
   *
   * @param acks whether the subscriber acknowledges
   * @param events number of events
   * @param publishers number of publishers; publisher p publishes the numbers with remainder p, in
   *     order
   * @param consumers number of consumers that share the subscriber
   */
  DeliveryRecord(String name, boolean acks, int events, int publishers, int consumers) {
    this.name = name;
    this.acks = acks;
    this.publishers = publishers;
    deliveries = new int[events];
    unfinished = new int[events];
    acknowledged = new int[events];
    sequences = new long[events];
    lastNumber = new int[consumers][publishers];
    lastSequence = new long[consumers];
    for (int[] row : lastNumber) {
      Arrays.fill(row, -1);
    }
    Arrays.fill(lastSequence, -1);
  }

  String name() {
    return name;
  }

  /** Records a delivery of an event that is not in the input. */
  synchronized void foreign(long sequence) {
    violation("sequence " + sequence + " is not an event of the input");
  }

  /** Records a delivery, before it is acknowledged. */
  synchronized void delivered(
      int consumer, int number, long sequence, int attempt, boolean intact) {
    if (!intact) {
      violation("event " + number + " arrived changed");
    }
    if (attempt == 1) {
      order(consumer, number, sequence);
    }
    if (deliveries[number]++ == 0) {
      distinct++;
      sequences[number] = sequence;
      if (!acks) {
        finished++;
      }
      return;
    }
    repeated++;
    if (sequences[number] != sequence) {
      violation(
          "event %d came as sequence %d and as %d".formatted(number, sequences[number], sequence));
    }
    if (attempt == 1) {
      violation("event " + number + " came twice as a first delivery");
    }
  }

  @GuardedBy("this")
  private void order(int consumer, int number, long sequence) {
    int[] last = lastNumber[consumer];
    int publisher = number % publishers;
    if (number <= last[publisher]) {
      violation(
          "event %d of publisher %d came after its event %d"
              .formatted(number, publisher, last[publisher]));
    }
    if (sequence <= lastSequence[consumer]) {
      violation("sequence %d came after sequence %d".formatted(sequence, lastSequence[consumer]));
    }
    last[publisher] = Math.max(number, last[publisher]);
    lastSequence[consumer] = Math.max(sequence, lastSequence[consumer]);
  }

  /** Records an acknowledgement that succeeded. */
  synchronized void acknowledged(int number) {
    if (acknowledged[number]++ == 0) {
      finished++;
    }
  }

  /** Records a delivery that was not acknowledged. */
  synchronized void unfinished(int number, Reason reason) {
    unfinished[number]++;
    reasons.merge(reason, 1, Integer::sum);
  }

  /** Returns the number of completed events. */
  synchronized int finished() {
    return finished;
  }

  /** Returns the number of redeliveries. */
  synchronized long repeated() {
    return repeated;
  }

  /** Returns whether every event is completed. */
  synchronized boolean complete() {
    return finished == deliveries.length;
  }

  /** Returns the result. Called when there are no more deliveries. */
  synchronized SubscriberResult result(PublishedSequences published) {
    for (int number = 0; number < deliveries.length; number++) {
      judge(number, published.sequence(number));
    }
    return new SubscriberResult(
        name,
        deliveries.length,
        distinct,
        twice(),
        Map.copyOf(reasons),
        violationCount,
        List.copyOf(violations));
  }

  @GuardedBy("this")
  private void judge(int number, long sequence) {
    if (deliveries[number] == 0) {
      violation("event " + number + " is lost");
      return;
    }
    if (sequences[number] != sequence) {
      violation(
          "event %d was published as sequence %d and came as %d"
              .formatted(number, sequence, sequences[number]));
    }
    if (deliveries[number] - 1 > unfinished[number]) {
      violation(
          "event %d came %s without a reason"
              .formatted(number, Amount.of(deliveries[number], "time")));
    }
    if (acks && acknowledged[number] != 1) {
      violation(
          "event %d was acknowledged %s"
              .formatted(number, Amount.of(acknowledged[number], "time")));
    }
  }

  @GuardedBy("this")
  private int twice() {
    return (int) Arrays.stream(deliveries).filter(n -> n > 1).count();
  }

  @GuardedBy("this")
  private void violation(String what) {
    if (violationCount++ < SHOWN) {
      violations.add(what);
    }
  }
}
