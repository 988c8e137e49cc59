package com.wookler.river.core.subscriber;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.ack.AckResult;
import com.wookler.river.ack.Ledger;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.subscriber.Receipts.Receipt;
import com.wookler.river.core.subscriber.SubscriberState.Effect;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Carries out acknowledgements by receipt. Thread-safe: each call takes the lock once. */
final class ReceiptHandler<M> {
  private final SubscriberState<M> state;
  private final DeadLettering<M> deadLettering;
  private final Receipts receipts;

  private record Dead(Acknowledgeable target, DeadLetter letter) {}

  ReceiptHandler(SubscriberState<M> state, DeadLettering<M> deadLettering, Receipts receipts) {
    this.state = state;
    this.deadLettering = deadLettering;
    this.receipts = receipts;
  }

  List<Settled> settle(Collection<String> texts, Settlement action) {
    List<@Nullable Receipt> read = new ArrayList<>(texts.size());
    for (String text : texts) {
      read.add(receipts.read(Objects.requireNonNull(text, "a receipt")));
    }
    List<Settled> settled = new ArrayList<>(read.size());
    List<Dead> dead = new ArrayList<>();
    boolean acknowledges = action instanceof Settlement.Ack || action instanceof Settlement.AckUpTo;
    List<Settled> unused =
        state.change(
            read,
            (acknowledgements, receipts) -> {
              for (Receipt one : receipts) {
                settled.add(settle(one, action, dead));
              }
              return settled;
            },
            acknowledges ? Effect.ACKNOWLEDGES : Effect.RESCHEDULES);
    startDeadLetter(dead);
    return settled;
  }

  /** As {@link AckHandler#ackAfter}, by receipt. */
  Settled ackAfter(String text, AckHandler<M> handler, LongConsumer publish) {
    Receipt receipt = receipts.read(text);
    if (receipt == null) {
      return Settled.UNKNOWN;
    }
    if (!receipt.current()) {
      return Settled.STALE;
    }
    Acknowledgeable target = state.memory.target(receipt);
    AckResult result = handler.ackAfter(target, () -> publish.accept(receipt.sequence()));
    return result == AckResult.STALE ? Settled.STALE : Settled.OK;
  }

  @SuppressWarnings("GuardedBy") // called under the lock
  private Settled settle(@Nullable Receipt receipt, Settlement action, List<Dead> dead) {
    if (receipt == null) {
      return Settled.UNKNOWN;
    }
    if (!receipt.current()) {
      return Settled.STALE;
    }
    if (!state.config.ackRequired()) {
      return Settled.OK;
    }
    AckResult result = acknowledge(state.memory.target(receipt), action, dead);
    return result == AckResult.STALE ? Settled.STALE : Settled.OK;
  }

  @GuardedBy("state.lock")
  private AckResult acknowledge(Acknowledgeable target, Settlement action, List<Dead> dead) {
    Acknowledgements acknowledgements = state.acknowledgements;
    if (action instanceof Settlement.Nack nack) {
      int attempt = Ledger.attempt(target.tag());
      if (state.isLast(attempt)) {
        String reason = nack.reason() == null ? AckHandler.NACK : nack.reason();
        return deadLetter(target, Acknowledgement.NACKED, reason, dead);
      }
      long delay =
          nack.delay() == null
              ? state.config.backoff().millis(target.place(), attempt)
              : TimeUnit.MILLISECONDS.convert(nack.delay());
      return acknowledgements.retry(target, delay, state.clock.nowMillis(), nack.reason(), null);
    }
    if (action instanceof Settlement.Reject reject) {
      return deadLetter(target, Acknowledgement.REJECTED, reject.reason(), dead);
    }
    if (action instanceof Settlement.Extend extend) {
      long millis = TimeUnit.MILLISECONDS.convert(extend.time());
      return acknowledgements.extend(target, millis, state.clock.nowMillis());
    }
    if (action instanceof Settlement.AckUpTo) {
      return acknowledgements.acknowledgeUpTo(target);
    }
    return action instanceof Settlement.Release
        ? acknowledgements.release(target)
        : acknowledgements.acknowledge(target);
  }

  /** Takes the message out of delivery; its data is read again for the dead letter. */
  @GuardedBy("state.lock")
  private AckResult deadLetter(
      Acknowledgeable target, Acknowledgement acknowledgement, String reason, List<Dead> dead) {
    StoredMessage message = state.fetcher.finder().find(target.place());
    if (message == null) {
      return AckResult.STALE;
    }
    AckResult result = state.acknowledgements.startDeadLetter(target, acknowledgement);
    if (result == AckResult.DONE) {
      int attempt = Ledger.attempt(target.tag());
      dead.add(new Dead(target, new DeadLetter(message, attempt, reason, null)));
    }
    return result;
  }

  /** Makes dead letters; what cannot be kept is in flight again, and the first failure thrown. */
  private void startDeadLetter(List<Dead> dead) {
    RuntimeException failed = null;
    for (Dead one : dead) {
      try {
        deadLettering.startDeadLetter(one.target(), one.letter());
      } catch (RuntimeException e) {
        failed = failed == null ? e : failed;
      }
    }
    if (failed != null) {
      throw failed;
    }
  }
}
