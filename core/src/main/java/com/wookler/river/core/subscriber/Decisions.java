package com.wookler.river.core.subscriber;

import com.wookler.river.core.ack.Outcome;
import com.wookler.river.core.message.StaleReceiptException;
import java.time.Duration;
import java.util.Collection;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Carries out what consumers decide over deliveries, and wakes whoever can go on because of it.
 * Thread-safe: each call takes the subscriber's lock. An acknowledgement may wait for the device,
 * without the lock. Without acknowledgement nothing is left to decide, and nothing happens.
 */
final class Decisions<M> {
  static final String NACK = "nack";

  private final DurableSubscriber<M> subscriber;
  private final SubscriberState<M> state;
  private final Burial<M> burial;

  Decisions(DurableSubscriber<M> subscriber, SubscriberState<M> state, Burial<M> burial) {
    this.subscriber = subscriber;
    this.burial = burial;
    this.state = state;
  }

  /**
   * The delivery as this subscriber made it.
   *
   * @throws IllegalArgumentException it is another's
   */
  MessageDelivery<M> own(Delivery<M> delivery) {
    Objects.requireNonNull(delivery, "delivery");
    if (delivery instanceof MessageDelivery<M> own && own.subscriber() == subscriber) {
      return own;
    }
    throw state.refusals.foreign();
  }

  void ack(MessageDelivery<M> delivery) {
    decide(delivery, Verdicts::acknowledge, false);
  }

  void ackUpTo(MessageDelivery<M> delivery) {
    decide(delivery, Verdicts::acknowledgeUpTo, false);
  }

  void release(MessageDelivery<M> delivery) {
    decide(delivery, Verdicts::release, true);
  }

  /** Gives it back for later. */
  void retry(MessageDelivery<M> delivery, Duration delay) {
    if (Objects.requireNonNull(delay, "delay").isNegative()) {
      throw new IllegalArgumentException("a delay of " + delay);
    }
    retry(delivery, TimeUnit.MILLISECONDS.convert(delay), NACK, null);
  }

  /** Likewise, after the subscriber's own wait. */
  void retry(MessageDelivery<M> delivery) {
    retry(delivery, backoff(delivery), NACK, null);
  }

  /** Likewise, because its processing threw. */
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
      MessageDelivery<M> delivery, long delayMillis, String reason, @Nullable String exception) {
    if (state.isLast(delivery.attempt())) {
      giveUp(delivery, Verdict.NACKED, delivery.deadLetter(reason, exception));
    } else {
      decide(delivery, (own, given) -> own.retry(given, delayMillis, state.nowMillis()), true);
    }
  }

  void reject(MessageDelivery<M> delivery, String reason) {
    giveUp(
        delivery,
        Verdict.REJECTED,
        delivery.deadLetter(Objects.requireNonNull(reason, "reason"), null));
  }

  private void giveUp(MessageDelivery<M> delivery, Verdict verdict, DeadLetter letter) {
    if (!state.config.ackRequired()) {
      return;
    }
    Outcome outcome;
    boolean wake;
    state.lock.lock();
    try {
      state.ensureOpen(delivery);
      boolean full = !state.ledger.hasRoom();
      outcome = state.verdicts.bury(delivery, verdict);
      wake = state.decided(full); // it is in flight no more
    } finally {
      state.lock.unlock();
    }
    tell(wake, outcome == Outcome.STALE ? delivery : null);
    if (outcome == Outcome.DONE) {
      burial.bury(delivery, letter);
    }
  }

  void extend(MessageDelivery<M> delivery, Duration time) {
    if (Objects.requireNonNull(time, "time").isZero() || time.isNegative()) {
      throw new IllegalArgumentException("an extension by " + time);
    }
    long millis = TimeUnit.MILLISECONDS.convert(time);
    decide(delivery, (own, given) -> own.extend(given, millis, state.nowMillis()), true);
  }

  /** Carries a decision out, which may have a message due before a waiting consumer would look. */
  private void decide(MessageDelivery<M> delivery, Verdicts.Decision decision, boolean retimes) {
    if (!state.config.ackRequired()) {
      return;
    }
    Outcome outcome;
    boolean wake;
    long acknowledged;
    state.lock.lock();
    try {
      state.ensureOpen(delivery);
      boolean full = !state.ledger.hasRoom();
      outcome = decision.over(state.verdicts, delivery);
      wake = state.decided(full) || retimes;
      acknowledged = retimes ? 0 : state.force.acknowledged();
    } finally {
      state.lock.unlock();
    }
    tell(wake, outcome == Outcome.STALE ? delivery : null);
    state.force.await(acknowledged);
  }

  /** Finishes what the filter refused. */
  void refuse(MessageDelivery<M> delivery) {
    boolean wake;
    state.lock.lock();
    try {
      state.ensureOpen();
      boolean full = !state.ledger.hasRoom();
      state.verdicts.refuse(delivery);
      wake = state.decided(full);
    } finally {
      state.lock.unlock();
    }
    tell(wake, null);
  }

  /**
   * Gives back a message at which the filter threw. Without a backoff it waits as if nobody had
   * acknowledged it, or a poll would meet it again at once, for ever. Without acknowledgement it
   * counts as refused.
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
      return; // it took so long that somebody else has the message
    }
  }

  /** Finishes all that are not stale. */
  void ack(Collection<Delivery<M>> deliveries) {
    Objects.requireNonNull(deliveries, "deliveries");
    if (!state.config.ackRequired()) {
      return;
    }
    deliveries.forEach(this::own); // a foreign one is refused before any is decided
    MessageDelivery<M> stale = null;
    boolean wake;
    long acknowledged;
    state.lock.lock();
    try {
      state.ensureOpen();
      boolean full = !state.ledger.hasRoom();
      for (Delivery<M> delivery : deliveries) {
        MessageDelivery<M> own = own(delivery);
        if (state.verdicts.acknowledge(own) == Outcome.STALE) {
          stale = own;
        }
      }
      wake = state.decided(full);
      acknowledged = state.force.acknowledged();
    } finally {
      state.lock.unlock();
    }
    tell(wake, null);
    state.force.await(acknowledged); // those that are not stale, whatever is said of the others
    tell(false, stale);
  }

  private void tell(boolean wake, @Nullable MessageDelivery<M> stale) {
    state.room.finished();
    if (wake) {
      state.line.wakeOne();
    }
    if (stale != null) {
      throw state.refusals.stale(stale);
    }
  }
}
