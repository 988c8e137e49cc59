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
final class Verdicts {
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
    Outcome over(Verdicts verdicts, Claim claim);
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

  /** Dead letters dropped for their number or age since the subscriber was opened. */
  long deadDropped() {
    return deadDropped;
  }

  /** Counts dead letters that were dropped. */
  void dropped(long letters) {
    deadDropped += letters;
  }

  Outcome acknowledge(Claim claim) {
    if (claim.verdict() == Verdict.ACKED) {
      return Outcome.REPEATED;
    }
    Outcome outcome = ledger.acknowledge(claim.place(), claim.ticket());
    if (outcome != Outcome.STALE) {
      claim.verdict(Verdict.ACKED);
    }
    if (outcome == Outcome.DONE) {
      count(1);
    }
    return outcome;
  }

  Outcome acknowledgeUpTo(Claim claim) {
    if (claim.verdict() == Verdict.ACKED && claim.place() < ledger.floor()) {
      return Outcome.REPEATED;
    }
    long before = ledger.unfinished();
    Outcome outcome = ledger.acknowledgeUpTo(claim.place(), claim.ticket());
    if (outcome != Outcome.STALE) {
      claim.verdict(Verdict.ACKED);
      count(before - ledger.unfinished());
    }
    return outcome;
  }

  Outcome release(Claim claim) {
    return claim.verdict() == Verdict.RELEASED
        ? Outcome.REPEATED
        : givenBack(claim, Verdict.RELEASED, ledger.release(claim.place(), claim.ticket()));
  }

  Outcome retry(Claim claim, long delayMillis, long nowMillis) {
    return claim.verdict() == Verdict.NACKED
        ? Outcome.REPEATED
        : givenBack(
            claim,
            Verdict.NACKED,
            ledger.retry(claim.place(), claim.ticket(), delayMillis, nowMillis));
  }

  /** Takes the message out of delivery, for its dead letter to be written. */
  Outcome bury(Claim claim, Verdict verdict) {
    return claim.verdict() == verdict
        ? Outcome.REPEATED
        : givenBack(claim, verdict, ledger.bury(claim.place(), claim.ticket()));
  }

  /** Finishes a message that the filter refused; without acknowledgement it is finished. */
  Outcome refuse(Claim claim) {
    Outcome outcome = ledger.acknowledge(claim.place(), claim.ticket());
    if (outcome == Outcome.DONE) {
      claim.verdict(Verdict.ACKED);
      filtered++;
    }
    return outcome;
  }

  /** Messages that the filter refused since the subscriber was opened. */
  long filtered() {
    return filtered;
  }

  private Outcome givenBack(Claim claim, Verdict verdict, Outcome outcome) {
    if (outcome == Outcome.DONE) {
      claim.verdict(verdict);
    }
    return unlessFinished(outcome);
  }

  Outcome extend(Claim claim, long millis, long nowMillis) {
    long handedOver = Integer.toUnsignedLong(claim.handedOverSecond());
    long latest = TimeUnit.SECONDS.toMillis(handedOver) + MAX_EXTENSION_MILLIS;
    return unlessFinished(ledger.extend(claim.place(), claim.ticket(), millis, nowMillis, latest));
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
