package com.wookler.river.core.subscriber;

import com.wookler.river.ack.AckResult;
import com.wookler.river.core.message.QueueStatusException;
import com.wookler.river.core.message.StaleReceiptException;
import com.wookler.river.core.subscriber.SubscriberState.Change;
import com.wookler.river.core.subscriber.SubscriberState.Effect;
import java.time.Duration;
import java.util.Collection;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Carries out the acknowledgements of deliveries, and wakes the consumer that can continue because
 * of one. Thread-safe: each call takes the subscriber's lock. An acknowledgement may wait for the
 * device, without the lock. Does nothing for a subscriber without acknowledgement.
 */
final class AckHandler<M> {
  static final String NACK = "nack";

  private final DeliveryOwner<M> owner;
  private final SubscriberState<M> state;
  private final DeadLettering<M> deadLettering;

  AckHandler(DeliveryOwner<M> owner, SubscriberState<M> state, DeadLettering<M> deadLettering) {
    this.owner = owner;
    this.deadLettering = deadLettering;
    this.state = state;
  }

  /** Returns the delivery as this subscriber made it; throws if it is another subscriber's. */
  MessageDelivery<M> own(Delivery<M> delivery) {
    Objects.requireNonNull(delivery, "delivery");
    if (delivery instanceof MessageDelivery<M> own && own.owner() == owner) {
      return own;
    }
    throw state.errors.foreign();
  }

  void ack(MessageDelivery<M> delivery) {
    acknowledge(delivery, Acknowledgements::acknowledge, Effect.ACKNOWLEDGES);
  }

  void ackUpTo(MessageDelivery<M> delivery) {
    acknowledge(delivery, Acknowledgements::acknowledgeUpTo, Effect.ACKNOWLEDGES);
  }

  void release(MessageDelivery<M> delivery) {
    acknowledge(delivery, Acknowledgements::release, Effect.RESCHEDULES);
  }

  /** Releases the message for a delivery after a delay. */
  void retry(MessageDelivery<M> delivery, Duration delay) {
    if (Objects.requireNonNull(delay, "delay").isNegative()) {
      throw new IllegalArgumentException("a delay of " + delay);
    }
    retry(delivery, TimeUnit.MILLISECONDS.convert(delay), null, null);
  }

  /** Releases the message for a delivery after the subscriber's own backoff. */
  void retry(MessageDelivery<M> delivery) {
    retry(delivery, backoff(delivery), null, null);
  }

  /** Releases the message for a delivery after a delay, or the backoff, for a reason. */
  void retry(MessageDelivery<M> delivery, @Nullable Duration delay, String reason) {
    Settlement.Nack nack = Settlement.nack(delay, reason); // checks
    long millis = delay == null ? backoff(delivery) : TimeUnit.MILLISECONDS.convert(delay);
    retry(delivery, millis, nack.reason(), null);
  }

  /** Releases the message for a later delivery, because its processing threw. */
  void fail(MessageDelivery<M> delivery, Throwable cause) {
    Objects.requireNonNull(cause, "cause");
    long pause = state.config.backoff().afterFailure(delivery.place(), attempt(delivery));
    retry(delivery, pause, String.valueOf(cause), cause.getClass().getName());
  }

  private long backoff(MessageDelivery<M> delivery) {
    return state.config.backoff().millis(delivery.place(), attempt(delivery));
  }

  private static int attempt(MessageDelivery<?> delivery) {
    return Math.max(1, delivery.attempt());
  }

  private void retry(
      MessageDelivery<M> delivery,
      long delayMillis,
      @Nullable String reason,
      @Nullable String exception) {
    if (state.isLast(delivery.attempt())) {
      String why = reason == null ? NACK : reason;
      deadLetter(delivery, Acknowledgement.NACKED, delivery.deadLetter(why, exception));
    } else {
      acknowledge(
          delivery,
          (acknowledgements, own) ->
              acknowledgements.retry(own, delayMillis, state.clock.nowMillis(), reason, exception),
          Effect.RESCHEDULES);
    }
  }

  void reject(MessageDelivery<M> delivery, String reason) {
    reject(delivery, reason, (String) null);
  }

  void reject(MessageDelivery<M> delivery, String reason, Throwable cause) {
    Objects.requireNonNull(reason, "reason");
    reject(delivery, reason, cause.getClass().getName());
  }

  private void reject(MessageDelivery<M> delivery, String reason, @Nullable String exception) {
    deadLetter(
        delivery,
        Acknowledgement.REJECTED,
        delivery.deadLetter(Objects.requireNonNull(reason, "reason"), exception));
  }

  private void deadLetter(
      MessageDelivery<M> delivery, Acknowledgement acknowledgement, DeadLetter letter) {
    if (!state.config.ackRequired()) {
      return;
    }
    AckResult result =
        state.change(
            delivery,
            (acknowledgements, own) -> acknowledgements.startDeadLetter(own, acknowledgement),
            Effect.REMOVES);
    ensureCurrent(delivery, result);
    if (result == AckResult.DONE) {
      deadLettering.startDeadLetter(delivery, letter);
    }
  }

  /**
   * Acknowledges once what continues the message is published. Until then nothing else can be done
   * with the delivery, and it does not time out; if it cannot be published, it is in flight again.
   */
  AckResult ackAfter(Acknowledgeable target, Runnable publish) {
    if (!state.config.ackRequired()) {
      throw new IllegalStateException(
          "queue %s, subscriber %s does not acknowledge (subscriber.ack.required)"
              .formatted(state.errors.queue(), state.config.name()));
    }
    AckResult taken =
        state.change(
            target,
            (acknowledgements, own) ->
                switch (own.acknowledgement()) {
                  case ACKED -> AckResult.STALE; // and nothing was published
                  case CONTINUED -> AckResult.REPEATED;
                  default -> acknowledgements.startDeadLetter(own, Acknowledgement.CONTINUING);
                },
            Effect.REMOVES);
    if (taken != AckResult.DONE) {
      return taken;
    }
    try {
      publish.run();
    } catch (Throwable e) {
      deadLettering.restore(target);
      throw e;
    }
    try {
      return state.change(target, Acknowledgements::continued, Effect.ACKNOWLEDGES);
    } catch (QueueStatusException e) { // since now: what is published is left out the next time
      deadLettering.restore(target);
      throw e;
    }
  }

  void ackAfter(MessageDelivery<M> delivery, Runnable publish) {
    ensureCurrent(delivery, ackAfter((Acknowledgeable) delivery, publish));
  }

  void extend(MessageDelivery<M> delivery, Duration time) {
    if (Objects.requireNonNull(time, "time").isZero() || time.isNegative()) {
      throw new IllegalArgumentException("an extension by " + time);
    }
    long millis = TimeUnit.MILLISECONDS.convert(time);
    acknowledge(
        delivery,
        (acknowledgements, own) -> acknowledgements.extend(own, millis, state.clock.nowMillis()),
        Effect.RESCHEDULES);
  }

  private void acknowledge(
      MessageDelivery<M> delivery,
      Change<? super MessageDelivery<M>, AckResult> change,
      Effect effect) {
    if (state.config.ackRequired()) {
      ensureCurrent(delivery, state.change(delivery, change, effect));
    }
  }

  private void ensureCurrent(MessageDelivery<M> delivery, AckResult result) {
    if (result == AckResult.STALE) {
      throw state.errors.stale(delivery.sequence(), delivery.attempt());
    }
  }

  void refuse(MessageDelivery<M> delivery) {
    AckResult unused =
        state.change(
            this, (acknowledgements, self) -> acknowledgements.refuse(delivery), Effect.REMOVES);
  }

  /**
   * Gives back a message at which the filter threw; without a backoff it waits for the ack timeout,
   * so that no poll takes it again at once. Without acknowledgement it counts as refused.
   */
  void filterFailed(MessageDelivery<M> delivery, Throwable cause) {
    if (!state.config.ackRequired()) {
      refuse(delivery);
      return;
    }
    long delay = backoff(delivery);
    try {
      retry(
          delivery,
          delay > 0 ? delay : state.config.ackTimeout().toMillis(),
          String.valueOf(cause),
          cause.getClass().getName());
    } catch (StaleReceiptException e) {
      return; // it took so long that another consumer has the message
    }
  }

  /** Completes all that are not stale. */
  void ack(Collection<Delivery<M>> deliveries) {
    Objects.requireNonNull(deliveries, "deliveries");
    if (!state.config.ackRequired()) {
      return;
    }
    deliveries.forEach(this::own); // a foreign one is refused before any is acknowledged
    state
        .change(deliveries, this::acknowledgeAll, Effect.ACKNOWLEDGES)
        .ifPresent( // those that are not stale are acknowledged all the same
            stale -> {
              throw state.errors.stale(stale.sequence(), stale.attempt());
            });
  }

  /** Returns the last delivery that is stale, if any. */
  private Optional<MessageDelivery<M>> acknowledgeAll(
      Acknowledgements acknowledgements, Collection<Delivery<M>> deliveries) {
    MessageDelivery<M> stale = null;
    int done = 0;
    try {
      for (Delivery<M> delivery : deliveries) {
        MessageDelivery<M> own = own(delivery);
        AckResult result = acknowledgements.complete(own);
        if (result == AckResult.DONE) {
          done++;
        } else if (result == AckResult.STALE) {
          stale = own;
        }
      }
    } finally {
      acknowledgements.count(done);
    }
    return Optional.ofNullable(stale);
  }
}
