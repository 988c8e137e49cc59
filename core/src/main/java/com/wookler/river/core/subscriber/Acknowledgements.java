package com.wookler.river.core.subscriber;

import com.wookler.river.common.counters.AbstractCounter;
import com.wookler.river.core.ack.Ledger;
import com.wookler.river.core.ack.Outcome;
import java.util.concurrent.TimeUnit;

/**
 * Carries a consumer's verdicts into the ledger, and remembers in the claim which one took effect:
 * the ledger forgets what lies below its floor, but repeating a verdict must stay harmless.
 *
 * <p>Guarded by the subscriber's lock.
 */
final class Acknowledgements {
  private static final long MAX_EXTENSION_MILLIS = TimeUnit.HOURS.toMillis(12);

  private final Ledger ledger;
  private final AbstractCounter acks;
  private long acked;
  private long dead;
  private long deadDropped;
  private long filtered;

  /** What a consumer decides over a claim. */
  @FunctionalInterface
  interface Decision {
    /** Carries it out, under the subscriber's lock. */
    Outcome over(Acknowledgements acknowledgements, Acknowledgeable target);
  }

  Acknowledgements(Ledger ledger, AbstractCounter acks) {
    this.ledger = ledger;
    this.acks = acks;
  }

  /** Messages acknowledged since the subscriber was opened. */
  long acked() {
    return acked;
  }

  /** Messages that became dead letters since the subscriber was opened. */
  long dead() {
    return dead;
  }

  /** Counts dead letters. */
  void died(long messages) {
    dead += messages;
  }

  /** Dead letters dropped for their number or age since the subscriber was opened. */
  long deadDropped() {
    return deadDropped;
  }

  /** Counts dead letters that were dropped. */
  void dropped(long letters) {
    deadDropped += letters;
  }

  Outcome acknowledge(Acknowledgeable target) {
    if (target.acknowledgement() == Acknowledgement.ACKED) {
      return Outcome.REPEATED;
    }
    Outcome outcome = ledger.acknowledge(target.place(), target.ticket());
    if (outcome != Outcome.STALE) {
      target.acknowledgement(Acknowledgement.ACKED);
    }
    if (outcome == Outcome.DONE) {
      count(1);
    }
    return outcome;
  }

  Outcome acknowledgeUpTo(Acknowledgeable target) {
    if (target.acknowledgement() == Acknowledgement.ACKED && target.place() < ledger.floor()) {
      return Outcome.REPEATED;
    }
    long before = ledger.unfinished();
    Outcome outcome = ledger.acknowledgeUpTo(target.place(), target.ticket());
    if (outcome != Outcome.STALE) {
      target.acknowledgement(Acknowledgement.ACKED);
      count(before - ledger.unfinished());
    }
    return outcome;
  }

  Outcome release(Acknowledgeable target) {
    return target.acknowledgement() == Acknowledgement.RELEASED
        ? Outcome.REPEATED
        : givenBack(
            target, Acknowledgement.RELEASED, ledger.release(target.place(), target.ticket()));
  }

  Outcome retry(Acknowledgeable target, long delayMillis, long nowMillis) {
    return target.acknowledgement() == Acknowledgement.NACKED
        ? Outcome.REPEATED
        : givenBack(
            target,
            Acknowledgement.NACKED,
            ledger.retry(target.place(), target.ticket(), delayMillis, nowMillis));
  }

  /** Takes the message out of delivery, for its dead letter to be written. */
  Outcome bury(Acknowledgeable target, Acknowledgement acknowledgement) {
    return target.acknowledgement() == acknowledgement
        ? Outcome.REPEATED
        : givenBack(target, acknowledgement, ledger.bury(target.place(), target.ticket()));
  }

  /** Finishes a message that the filter refused; without acknowledgement it is finished. */
  Outcome refuse(Acknowledgeable target) {
    Outcome outcome = ledger.acknowledge(target.place(), target.ticket());
    if (outcome == Outcome.DONE) {
      target.acknowledgement(Acknowledgement.ACKED);
      filtered++;
    }
    return outcome;
  }

  /** Messages that the filter refused since the subscriber was opened. */
  long filtered() {
    return filtered;
  }

  private Outcome givenBack(
      Acknowledgeable target, Acknowledgement acknowledgement, Outcome outcome) {
    if (outcome == Outcome.DONE) {
      target.acknowledgement(acknowledgement);
    }
    return unlessFinished(outcome);
  }

  Outcome extend(Acknowledgeable target, long millis, long nowMillis) {
    long handedOver = Integer.toUnsignedLong(target.handedOverSecond());
    long latest = TimeUnit.SECONDS.toMillis(handedOver) + MAX_EXTENSION_MILLIS;
    return unlessFinished(
        ledger.extend(target.place(), target.ticket(), millis, nowMillis, latest));
  }

  /** The message is finished, so a verdict that wants it delivered again did not take effect. */
  private static Outcome unlessFinished(Outcome outcome) {
    return outcome == Outcome.REPEATED ? Outcome.STALE : outcome;
  }

  private void count(long messages) {
    acked += messages;
    acks.add(messages);
  }
}
