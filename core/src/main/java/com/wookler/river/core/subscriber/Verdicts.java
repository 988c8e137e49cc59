package com.wookler.river.core.subscriber;

import com.wookler.river.common.counters.AbstractCounter;
import com.wookler.river.core.ack.Ledger;
import com.wookler.river.core.ack.Outcome;
import com.wookler.river.core.subscriber.MessageDelivery.Verdict;
import java.util.concurrent.TimeUnit;

/**
 * Carries a consumer's verdicts into the ledger, and remembers in the delivery which one took
 * effect: the ledger forgets what lies below its floor, but repeating a verdict must stay harmless.
 *
 * <p>Guarded by the subscriber's lock.
 */
final class Verdicts<M> {
  private static final long MAX_EXTENSION_MILLIS = TimeUnit.HOURS.toMillis(12);

  private final Ledger ledger;
  private final AbstractCounter acks;
  private long acked;
  private long dead;

  /** What a consumer decides over a delivery. */
  @FunctionalInterface
  interface Decision<M> {
    /** Carries it out, under the subscriber's lock. */
    Outcome over(Verdicts<M> verdicts, MessageDelivery<M> delivery);
  }

  Verdicts(Ledger ledger, AbstractCounter acks) {
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

  Outcome acknowledge(MessageDelivery<M> delivery) {
    if (delivery.verdict == Verdict.ACKED) {
      return Outcome.REPEATED;
    }
    Outcome outcome = ledger.acknowledge(delivery.sequence(), delivery.ticket());
    if (outcome != Outcome.STALE) {
      delivery.verdict = Verdict.ACKED;
    }
    if (outcome == Outcome.DONE) {
      count(1);
    }
    return outcome;
  }

  Outcome acknowledgeUpTo(MessageDelivery<M> delivery) {
    if (delivery.verdict == Verdict.ACKED && delivery.sequence() < ledger.floor()) {
      return Outcome.REPEATED;
    }
    long before = ledger.unfinished();
    Outcome outcome = ledger.acknowledgeUpTo(delivery.sequence(), delivery.ticket());
    if (outcome != Outcome.STALE) {
      delivery.verdict = Verdict.ACKED;
      count(before - ledger.unfinished());
    }
    return outcome;
  }

  Outcome release(MessageDelivery<M> delivery) {
    return delivery.verdict == Verdict.RELEASED
        ? Outcome.REPEATED
        : givenBack(
            delivery, Verdict.RELEASED, ledger.release(delivery.sequence(), delivery.ticket()));
  }

  Outcome retry(MessageDelivery<M> delivery, long delayMillis, long nowMillis) {
    return delivery.verdict == Verdict.NACKED
        ? Outcome.REPEATED
        : givenBack(
            delivery,
            Verdict.NACKED,
            ledger.retry(delivery.sequence(), delivery.ticket(), delayMillis, nowMillis));
  }

  /** Takes the message out of delivery, for its dead letter to be written. */
  Outcome bury(MessageDelivery<M> delivery, Verdict verdict) {
    return delivery.verdict == verdict
        ? Outcome.REPEATED
        : givenBack(delivery, verdict, ledger.bury(delivery.sequence(), delivery.ticket()));
  }

  private Outcome givenBack(MessageDelivery<M> delivery, Verdict verdict, Outcome outcome) {
    if (outcome == Outcome.DONE) {
      delivery.verdict = verdict;
    }
    return unlessFinished(outcome);
  }

  Outcome extend(MessageDelivery<M> delivery, long millis, long nowMillis) {
    long latest = TimeUnit.SECONDS.toMillis(delivery.handedOverSecond()) + MAX_EXTENSION_MILLIS;
    return unlessFinished(
        ledger.extend(delivery.sequence(), delivery.ticket(), millis, nowMillis, latest));
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
