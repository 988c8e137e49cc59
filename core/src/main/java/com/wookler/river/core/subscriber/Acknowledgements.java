package com.wookler.river.core.subscriber;

import com.wookler.river.ack.AckResult;
import com.wookler.river.ack.Ledger;
import com.wookler.river.common.Leases;
import com.wookler.river.common.counters.AbstractCounter;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Carries acknowledgements into the ledger, and remembers in the delivery which one took effect:
 * the ledger forgets what is below its low watermark, but repeating an acknowledgement must stay
 * harmless. Counts from the subscriber's opening. Guarded by the subscriber's lock.
 */
final class Acknowledgements {
  private static final long MAX_EXTENSION_MILLIS = TimeUnit.HOURS.toMillis(12);

  private final Ledger ledger;
  private final AbstractCounter acks;
  private final FailureMemory failures;
  private final @Nullable Leases leases;
  private long acked;
  private long dead;
  private long deadDropped;
  private long filtered;

  Acknowledgements(
      Ledger ledger, AbstractCounter acks, FailureMemory failures, @Nullable Leases leases) {
    this.leases = leases;
    this.ledger = ledger;
    this.acks = acks;
    this.failures = failures;
  }

  long acked() {
    return acked;
  }

  long dead() {
    return dead;
  }

  void died(long messages) {
    dead += messages;
  }

  long deadDropped() {
    return deadDropped;
  }

  void dropped(long letters) {
    deadDropped += letters;
  }

  AckResult acknowledge(Acknowledgeable target) {
    AckResult result = complete(target);
    if (result == AckResult.DONE) {
      count(1);
    }
    return result;
  }

  /** Acknowledges one that the caller {@link #count counts} if that took effect. */
  AckResult complete(Acknowledgeable target) {
    if (target.acknowledgement().isAck()) {
      return AckResult.REPEATED;
    }
    AckResult result = ledger.acknowledge(target.place(), target.tag());
    if (result != AckResult.STALE) {
      target.acknowledgement(Acknowledgement.ACKED);
    }
    return result;
  }

  /**
   * Completes those deliveries of a chunk that were answered so, a run of sequences at a time.
   * Returns the index of the last that is stale; -1 if none is.
   */
  int acknowledge(DeliveryChunk<?> chunk, ReceiptMemory memory) {
    int stale = -1;
    int end;
    for (int i = 0; i < chunk.handled(); i = end) {
      end = i + 1;
      if (chunk.isToAck(i)) {
        while (chunk.isToAck(end) && chunk.place(end) == chunk.place(end - 1) + 1) {
          end++;
        }
        int done = ledger.acknowledge(chunk.place(i), chunk.tags(), i, end - i);
        count(done);
        memory.acknowledged(chunk, i, i + done);
        if (i + done < end) { // the next one is stale, or was acknowledged before
          end = i + done + 1;
          stale = acknowledge(chunk.delivery(i + done)) == AckResult.STALE ? i + done : stale;
        }
      }
    }
    return stale;
  }

  AckResult acknowledgeUpTo(Acknowledgeable target) {
    if (target.acknowledgement().isAck() && target.place() < ledger.lowWatermark()) {
      return AckResult.REPEATED;
    }
    long before = ledger.unfinished();
    AckResult result = ledger.acknowledgeUpTo(target.place(), target.tag());
    if (result != AckResult.STALE) {
      target.acknowledgement(Acknowledgement.ACKED);
      count(before - ledger.unfinished());
    }
    return result;
  }

  AckResult release(Acknowledgeable target) {
    return target.acknowledgement() == Acknowledgement.RELEASED
        ? AckResult.REPEATED
        : givenBack(target, Acknowledgement.RELEASED, ledger.release(target.place(), target.tag()));
  }

  /** Gives a message back for a delivery after a delay; {@code reason}: why it failed, if known. */
  AckResult retry(
      Acknowledgeable target,
      long delayMillis,
      long nowMillis,
      @Nullable String reason,
      @Nullable String exception) {
    if (target.acknowledgement() == Acknowledgement.NACKED) {
      return AckResult.REPEATED;
    }
    AckResult result = ledger.retry(target.place(), target.tag(), delayMillis, nowMillis);
    if (result == AckResult.DONE) {
      failures.failed(target.place(), Ledger.attempt(target.tag()), reason, exception);
    }
    return givenBack(target, Acknowledgement.NACKED, result);
  }

  /** Takes the message out of delivery, for its dead letter to be written. */
  AckResult startDeadLetter(Acknowledgeable target, Acknowledgement acknowledgement) {
    return target.acknowledgement() == acknowledgement
        ? AckResult.REPEATED
        : givenBack(target, acknowledgement, ledger.startDeadLetter(target.place(), target.tag()));
  }

  /** Completes a message that was taken out of delivery until its continuation was published. */
  AckResult continued(Acknowledgeable target) {
    if (ledger.completeDeadLetter(target.place(), target.tag())) {
      count(1);
    }
    target.acknowledgement(Acknowledgement.CONTINUED);
    return AckResult.DONE;
  }

  /** Completes a message that the filter refused; without acknowledgement it is completed. */
  AckResult refuse(Acknowledgeable target) {
    AckResult result = ledger.acknowledge(target.place(), target.tag());
    if (result == AckResult.DONE) {
      target.acknowledgement(Acknowledgement.ACKED);
      filtered++;
    }
    return result;
  }

  long filtered() {
    return filtered;
  }

  private AckResult givenBack(
      Acknowledgeable target, Acknowledgement acknowledgement, AckResult result) {
    if (result == AckResult.DONE) {
      target.acknowledgement(acknowledgement);
      renew();
    }
    return unlessCompleted(result);
  }

  AckResult extend(Acknowledgeable target, long millis, long nowMillis) {
    long deliveredEnd = Integer.toUnsignedLong(target.deliveredSecond());
    long latest = TimeUnit.SECONDS.toMillis(deliveredEnd) + MAX_EXTENSION_MILLIS;
    AckResult result = ledger.extend(target.place(), target.tag(), millis, nowMillis, latest);
    if (result == AckResult.DONE) {
      renew();
    }
    return unlessCompleted(result);
  }

  /** Returns stale for a completed message: asking for another delivery has no effect on it. */
  private static AckResult unlessCompleted(AckResult result) {
    return result == AckResult.REPEATED ? AckResult.STALE : result;
  }

  private void renew() {
    if (leases != null) {
      leases.renew();
    }
  }

  /** Counts messages that were acknowledged. */
  void count(long messages) {
    if (messages > 0) {
      renew();
    }
    acked += messages;
    acks.add(messages);
  }
}
