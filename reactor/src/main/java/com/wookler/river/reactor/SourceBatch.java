package com.wookler.river.reactor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.TimeSource;
import com.wookler.river.core.message.StaleReceiptException;
import com.wookler.river.core.subscriber.Backoff;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Settlement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A batch of a source, and the answers of the reactor to its messages. Thread-safe.
 *
 * @param <M> type of the data
 */
final class SourceBatch<M> {
  private final List<Delivery<M>> deliveries;
  private final Backoff backoff;
  private final Duration patience;

  @GuardedBy("this")
  private final List<@Nullable Settlement> answers;

  @GuardedBy("this")
  private int open;

  @GuardedBy("this")
  private boolean closed;

  @GuardedBy("this")
  private boolean processed;

  @GuardedBy("this")
  private long dueNanos; // until when answers are waited for, once it is processed

  /**
   * Creates a batch.
   *
   * @param patience how long answers are waited for that come after the chain
   */
  SourceBatch(List<Delivery<M>> taken, Backoff backoff, Duration patience) {
    this.backoff = backoff;
    this.patience = patience;
    List<Delivery<M>> wrapped = new ArrayList<>(taken.size());
    for (int i = 0; i < taken.size(); i++) {
      wrapped.add(new SourceDelivery<>(taken.get(i), this, i));
    }
    deliveries = Collections.unmodifiableList(wrapped);
    answers = new ArrayList<>(Collections.nCopies(taken.size(), null));
    open = taken.size();
  }

  List<Delivery<M>> deliveries() {
    return deliveries;
  }

  /** Returns how long a message waits that is to be delivered again. */
  Duration backoff(Delivery<?> delivery) {
    return Duration.ofMillis(
        backoff.afterFailure(delivery.sequence(), Math.max(1, delivery.attempt())));
  }

  /**
   * Records the answer to a message; repeating it is harmless.
   *
   * @throws StaleReceiptException it had another one, or is delivered again
   */
  synchronized void answer(int index, Settlement answer) {
    Settlement before = answers.get(index);
    if (answer.equals(before)) {
      return;
    }
    if (before != null || closed) {
      throw new StaleReceiptException(
          "sequence " + deliveries.get(index).sequence() + " was settled, or is delivered again");
    }
    answers.set(index, answer);
    open--;
    if (open == 0) {
      notifyAll();
    }
  }

  /** Notes that the chain has seen it: what has no answer yet gets one later, or never. */
  synchronized void processed() {
    if (!processed) {
      processed = true;
      extend(patience);
    }
  }

  /** Has answers waited for at least as long from now on. */
  synchronized void extend(Duration time) {
    long due = TimeSource.system().nanoTime() + SourceDelivery.bounded(time).toNanos();
    if (dueNanos == 0 || due - dueNanos > 0) {
      dueNanos = due;
    }
  }

  /**
   * Fails what has no answer, if that was waited for long enough; returns how many messages those
   * are.
   */
  synchronized int failOverdue() {
    if (!processed || dueNanos - TimeSource.system().nanoTime() > 0) {
      return 0;
    }
    int failed = open;
    for (int i = 0; i < answers.size(); i++) {
      if (answers.get(i) == null) {
        answer(i, Settlement.nack(backoff(deliveries.get(i)), "no answer came in time"));
      }
    }
    return failed;
  }

  /** Waits until each message has its answer; false if the time was over before. */
  synchronized boolean await(Duration time) throws InterruptedException {
    long left = time.toNanos();
    long until = TimeSource.system().nanoTime() + left;
    while (open > 0 && left > 0) {
      TimeUnit.NANOSECONDS.timedWait(this, left);
      left = until - TimeSource.system().nanoTime();
    }
    return open == 0;
  }

  /** Returns the answers, of which no more can come; those without one are released. */
  synchronized List<Settlement> close() {
    closed = true;
    List<Settlement> all = new ArrayList<>(answers.size());
    for (Settlement answer : answers) {
      all.add(answer == null ? Settlement.release() : answer);
    }
    return all;
  }
}
