package com.wookler.river.reactor;

import com.wookler.river.common.utils.Amount;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.StaleReceiptException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out what is decided over the messages of one batch: gives back at once, and acknowledges
 * together at the end. Confined to the thread that runs the batch.
 *
 * <p>A decision that comes too late, after the acknowledgement timeout or the end of the
 * subscriber, changes nothing: the message was or will be delivered again.
 */
final class Outcomes<M> {
  private static final Logger LOG = LoggerFactory.getLogger(Outcomes.class);

  private final Subscriber<M> subscriber;
  private final Tally tally;
  private final Gate gate;
  private final List<Delivery<M>> finished = new ArrayList<>();
  private @Nullable Error error;

  Outcomes(Home<M> home) {
    this.subscriber = home.subscriber();
    this.tally = home.tally();
    this.gate = home.gate();
  }

  /** Decides over a message, or over one that went on in the place of another. */
  void decide(Delivery<M> delivery, ProcessResult<M> result) {
    if (result.cause() instanceof Error fatal) {
      error = fatal;
    }
    Delivery<M> at = delivery;
    ProcessResult<M> decision = result;
    while (at instanceof Passed<M> passed) {
      ProcessResult<M> all = passed.decide(decision);
      if (all == null) {
        return;
      }
      decision = all;
      at = passed.source();
    }
    if (decision.kind() == ProcessResult.Kind.DONE) {
      finished.add(at);
    } else {
      attempt(at, decision);
    }
  }

  private void attempt(Delivery<M> delivery, ProcessResult<M> result) {
    try {
      carryOut(delivery, result);
    } catch (StaleReceiptException | QueueClosedException e) {
      late(1, e);
    } catch (RuntimeException e) {
      LOG.error("Cannot decide over sequence {}: {}", delivery.sequence(), result, e);
    }
  }

  private void carryOut(Delivery<M> delivery, ProcessResult<M> result) {
    switch (result.kind()) {
      case RETRY -> {
        Duration delay = result.delay();
        delivery.nack(delay == null ? pause(delivery) : delay);
        tally.retried.increment();
      }
      case REJECT -> {
        delivery.reject(result.reason());
        tally.rejected.increment();
      }
      case FAILED -> {
        delivery.fail(Objects.requireNonNull(result.cause()));
        tally.failed.increment();
      }
      case RELEASE -> {
        Duration hold = result.delay();
        if (hold != null) {
          gate.holdBack(hold.toNanos()); // first: whoever takes it again finds the gate closed
        }
        delivery.release();
        tally.released.increment();
      }
      default -> throw new IllegalStateException("no decision: " + result);
    }
  }

  private Duration pause(Delivery<M> delivery) {
    int attempt = Math.max(1, delivery.attempt());
    return Duration.ofMillis(subscriber.config().backoff().afterFailure(delivery.place(), attempt));
  }

  /** Acknowledges what is finished. */
  void flush() {
    if (finished.isEmpty()) {
      return;
    }
    int count = finished.size();
    try {
      subscriber.ack(finished);
      tally.finished.add(count);
    } catch (StaleReceiptException e) { // some; the others are finished
      finished.forEach(this::finishAlone);
    } catch (QueueClosedException e) {
      late(count, e);
    } catch (RuntimeException e) {
      LOG.error("Cannot acknowledge {}, to be delivered again", Amount.of(count, "message"), e);
    }
    finished.clear();
  }

  /** Finds out which were stale: repeating an acknowledgement that took effect is harmless. */
  private void finishAlone(Delivery<M> delivery) {
    try {
      delivery.ack();
      tally.finished.increment();
    } catch (StaleReceiptException | QueueClosedException e) {
      late(1, e);
    } catch (RuntimeException e) {
      LOG.error("Cannot acknowledge sequence {}", delivery.sequence(), e);
    }
  }

  private void late(int messages, RuntimeException e) {
    tally.late.add(messages);
    LOG.debug("Decided too late over {}: {}", Amount.of(messages, "message"), e.getMessage());
  }

  /** The last error of this batch, which its thread should not outlive; null if there was none. */
  @Nullable Error error() {
    return error;
  }
}
