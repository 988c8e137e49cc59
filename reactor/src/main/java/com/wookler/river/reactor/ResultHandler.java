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
 * Applies the results of the messages of one batch: failures, retries and the like at once,
 * acknowledgements together at the end. Confined to the thread that runs the batch.
 *
 * <p>A result that comes too late, after the acknowledgement timeout or the end of the subscriber,
 * has no effect: the message was or will be delivered again.
 */
final class ResultHandler<M> {
  private static final Logger LOG = LoggerFactory.getLogger(ResultHandler.class);

  private final Subscriber<M> subscriber;
  private final ReactorCounters counters;
  private final PauseGate gate;
  private final FailurePolicies policies;
  private final List<Delivery<M>> toAck = new ArrayList<>();
  private @Nullable Error error;

  ResultHandler(
      Subscriber<M> subscriber,
      ReactorCounters counters,
      PauseGate gate,
      FailurePolicies policies) {
    this.policies = policies;
    this.subscriber = subscriber;
    this.counters = counters;
    this.gate = gate;
  }

  /** Applies the result of a message, or of one that replaces another. */
  void handle(Delivery<M> delivery, ProcessResult<M> result) {
    if (result.cause() instanceof Error fatal) {
      error = fatal;
    }
    Delivery<M> target = delivery;
    ProcessResult<M> combined = result;
    while (target instanceof ReplacementDelivery<M> replacement) {
      ProcessResult<M> ofSource = replacement.complete(combined);
      if (ofSource == null) {
        return;
      }
      combined = ofSource;
      target = replacement.source();
    }
    if (combined.kind() == ProcessResult.Kind.DONE) {
      toAck.add(target);
    } else {
      applyAndLog(target, combined);
    }
  }

  private void applyAndLog(Delivery<M> delivery, ProcessResult<M> result) {
    try {
      apply(delivery, result);
    } catch (StaleReceiptException | QueueClosedException e) {
      tooLate(1, e);
    } catch (RuntimeException e) {
      LOG.error("Cannot apply the result {} to sequence {}", result, delivery.sequence(), e);
    }
  }

  private void apply(Delivery<M> delivery, ProcessResult<M> result) {
    switch (result.kind()) {
      case RETRY -> {
        Duration delay = result.delay();
        delivery.nack(delay == null ? backoff(delivery) : delay);
        counters.retried.increment();
      }
      case REJECT -> {
        delivery.reject(result.reason());
        counters.rejected.increment();
      }
      case FAILED -> {
        failed(delivery, Objects.requireNonNull(result.cause()));
        counters.failed.increment();
      }
      case RELEASE -> {
        Duration hold = result.delay();
        if (hold != null) {
          gate.holdBack(hold.toNanos()); // first: no worker may take the released message meanwhile
        }
        delivery.release();
        counters.released.increment();
      }
      default -> throw new IllegalStateException("cannot apply " + result);
    }
  }

  private void failed(Delivery<M> delivery, Throwable cause) {
    switch (policies.of(cause)) {
      case RETRY -> delivery.fail(cause);
      case REJECT -> delivery.reject(String.valueOf(cause), cause);
      case PAUSE -> {
        subscriber.pause(); // first: no consumer may take the released message meanwhile
        LOG.error(
            "Subscriber {} is paused because of sequence {}; resume it once the cause is repaired",
            subscriber.name(),
            delivery.sequence(),
            cause);
        delivery.release();
      }
    }
  }

  private Duration backoff(Delivery<M> delivery) {
    int attempt = Math.max(1, delivery.attempt());
    return Duration.ofMillis(subscriber.config().backoff().afterFailure(delivery.place(), attempt));
  }

  /** Acknowledges the messages that are done. */
  void flush() {
    if (toAck.isEmpty()) {
      return;
    }
    int count = toAck.size();
    try {
      subscriber.ack(toAck);
      counters.finished.add(count);
    } catch (StaleReceiptException e) { // for some messages; the others are acknowledged
      toAck.forEach(this::ackAlone);
    } catch (QueueClosedException e) {
      tooLate(count, e);
    } catch (RuntimeException e) {
      LOG.error("Cannot acknowledge {}, to be delivered again", Amount.of(count, "message"), e);
    }
    toAck.clear();
  }

  /** Finds out which receipts were stale: repeating an acknowledgement is harmless. */
  private void ackAlone(Delivery<M> delivery) {
    try {
      delivery.ack();
      counters.finished.increment();
    } catch (StaleReceiptException | QueueClosedException e) {
      tooLate(1, e);
    } catch (RuntimeException e) {
      LOG.error("Cannot acknowledge sequence {}", delivery.sequence(), e);
    }
  }

  private void tooLate(int messages, RuntimeException e) {
    counters.late.add(messages);
    LOG.debug(
        "The results of {} came too late: {}", Amount.of(messages, "message"), e.getMessage());
  }

  /** Returns the last error of this batch, which its thread must not outlive; null if none. */
  @Nullable Error error() {
    return error;
  }
}
