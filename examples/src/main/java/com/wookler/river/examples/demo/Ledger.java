package com.wookler.river.examples.demo;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.utils.Amount;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What one subscriber got, event by event, as its consumers saw it: the demo's proof is made of
 * this and not of anything that the queue counts. Thread-safe.
 *
 * <p>Each delivery ends in one of three ways: acknowledged, left unfinished for a {@link Reason},
 * or, for a subscriber without acknowledgement, finished by being handed over. So a repetition is
 * explained if, and only if, an earlier delivery of that event was left unfinished.
 *
 * <p>Order is judged by first deliveries. Consumers that share a subscriber take messages at the
 * same time, and nobody can say which of two was first; but what one consumer gets must rise.
 */
final class Ledger {
  /** Why a delivery was left unfinished. */
  enum Reason {
    /** On purpose, to see it come again. */
    WITHHELD("not acknowledged on purpose"),
    /** The queue was closed before it could be acknowledged. */
    RESTART("in flight at the restart"),
    /** The queue had given up waiting, so that the acknowledgement was refused as stale. */
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
   * An empty ledger.
   *
   * @param acks whether the subscriber acknowledges
   * @param events how many events there are
   * @param publishers how many publish; publisher p publishes the numbers with remainder p, in
   *     order
   * @param consumers how many share the subscriber
   */
  Ledger(String name, boolean acks, int events, int publishers, int consumers) {
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

  /** A delivery of something that the input does not hold. */
  synchronized void foreign(long sequence) {
    violation("sequence " + sequence + " is no event of the input");
  }

  /** A delivery, before anything is done with it. */
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

  /** An acknowledgement that was accepted. */
  synchronized void acknowledged(int number) {
    if (acknowledged[number]++ == 0) {
      finished++;
    }
  }

  /** A delivery that ended without acknowledgement. */
  synchronized void unfinished(int number, Reason reason) {
    unfinished[number]++;
    reasons.merge(reason, 1, Integer::sum);
  }

  /** How many events are finished. */
  synchronized int finished() {
    return finished;
  }

  /** How many deliveries were not the first of their event. */
  synchronized long repeated() {
    return repeated;
  }

  /** Whether every event is finished. */
  synchronized boolean complete() {
    return finished == deliveries.length;
  }

  /** What it comes to. Called when nobody delivers any more. */
  synchronized Verdict verdict(Published published) {
    for (int number = 0; number < deliveries.length; number++) {
      judge(number, published.sequence(number));
    }
    return new Verdict(
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
