package com.wookler.river.reactor;

import com.wookler.river.common.Interrupts;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.utils.Amount;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Settlement;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that owns one consumer of a source: it takes a batch when a worker asks for one, keeps
 * it alive while it is processed, and settles it before it takes another one.
 *
 * @param <M> type of the data
 */
final class SourcePump<M> implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(SourcePump.class);
  private static final Duration WAIT = Duration.ofMillis(200); // after which it sees that it ends
  private static final Duration ERROR_PAUSE = Duration.ofSeconds(1);

  /** How long answers may come after the end, as of a processor that closes its own reactor. */
  private static final Duration GRACE = Duration.ofSeconds(2);

  /** How long a batch is kept for a request that has not come yet. */
  private static final Duration READY = Duration.ofSeconds(2);

  private final SourceSubscriber<M> subscriber;
  private final DeliverySource<M> source;
  private final int max;
  private final TimeSource time = TimeSource.system();
  private @Nullable SourceRequest<M> request; // that waits for this consumer
  private boolean failed; // so that it is logged once
  private volatile SourceStats stats = SourceStats.NONE; // written by this thread, read by any
  private long deadBefore; // dead letters of consumers that are closed
  private long kept; // when the lease of the present batch began, or shortly before

  SourcePump(SourceSubscriber<M> subscriber, DeliverySource<M> source, int max) {
    this.subscriber = subscriber;
    this.source = source;
    this.max = max;
  }

  SourceStats stats() {
    return stats;
  }

  @Override
  public void run() {
    try {
      while (!subscriber.isClosed()) {
        try {
          runConsumer();
        } catch (InterruptedException e) {
          return; // by the end of the reactor
        } catch (RuntimeException | Error e) { // a worker waits, and the next try may succeed
          failed(e);
        }
      }
    } finally {
      if (request != null) {
        subscriber.end(request);
      }
    }
  }

  private void failed(Throwable e) {
    if (!failed && !subscriber.isClosed()) {
      failed = true;
      LOG.error("Source {} failed; trying again", source.name(), e);
    }
    subscriber.awaitClosed(ERROR_PAUSE);
  }

  private void runConsumer() throws InterruptedException {
    DeliverySource.Consumer<M> consumer = source.consumer(max);
    try {
      while (!subscriber.isClosed()) {
        step(consumer);
        failed = false;
        stats = stats.with(deadBefore + consumer.deadLetters(), consumer.lag());
      }
    } finally {
      try {
        Interrupts.defer(consumer::close); // an interrupted client would not close
      } finally {
        deadBefore += consumer.deadLetters(); // also of what it has settled while it closed
      }
    }
  }

  private void step(DeliverySource.Consumer<M> consumer) throws InterruptedException {
    if (subscriber.isPaused()) {
      consumer.idle();
      subscriber.awaitClosed(WAIT);
    } else if (request == null || request.isDone()) {
      request = subscriber.awaitRequest(WAIT);
      if (request == null) {
        consumer.idle();
      }
    } else {
      kept = time.nanoTime();
      List<Delivery<M>> taken = consumer.take(WAIT);
      if (!taken.isEmpty()) {
        process(new SourceBatch<>(taken, source.backoff(), subscriber.patience()), consumer);
      }
    }
  }

  /** Has a batch processed, and settles what is answered when that ends, however it does. */
  private void process(SourceBatch<M> batch, DeliverySource.Consumer<M> consumer)
      throws InterruptedException {
    try {
      if (deliver(batch, kept + half(consumer))) {
        awaitAnswers(batch, consumer);
      }
    } catch (InterruptedException | RuntimeException | Error e) {
      try {
        settle(batch, consumer);
      } catch (RuntimeException again) {
        e.addSuppressed(again);
      }
      throw e;
    }
    settle(batch, consumer);
  }

  private void settle(SourceBatch<M> batch, DeliverySource.Consumer<M> consumer) {
    List<Settlement> answers = batch.close();
    stats = stats.settled(answers);
    Interrupts.defer(() -> consumer.settle(answers)); // an interrupted client would not send them
  }

  private static long half(DeliverySource.Consumer<?> consumer) {
    return consumer.lease().toNanos() / 2;
  }

  /**
   * Completes the request for which the batch was taken, or, if that was cancelled meanwhile, one
   * that comes soon: giving the batch back may count as an attempt.
   */
  private boolean deliver(SourceBatch<M> batch, long until) throws InterruptedException {
    long last = time.nanoTime() + READY.toNanos();
    long end = until - last < 0 ? until : last;
    while (!subscriber.isClosed() && !subscriber.isPaused()) {
      SourceRequest<M> waiting = request;
      request = null;
      if (waiting != null && waiting.claim()) {
        stats = stats.delivered(batch.deliveries());
        waiting.deliver(batch.deliveries());
        return true;
      }
      long left = end - time.nanoTime();
      if (left <= 0) {
        return false;
      }
      request = subscriber.awaitRequest(shorter(left));
    }
    return false;
  }

  private void awaitAnswers(SourceBatch<M> batch, DeliverySource.Consumer<M> consumer)
      throws InterruptedException {
    long left = half(consumer) - (time.nanoTime() - kept);
    while (!batch.await(shorter(left)) && !subscriber.isClosedFor(GRACE)) {
      int overdue = batch.failOverdue();
      if (overdue > 0) {
        LOG.warn(
            "Source {}: {} had no answer {} after the last processor, as of a stage that does not"
                + " complete, and will be delivered again",
            source.name(),
            Amount.of(overdue, "message"),
            subscriber.patience());
        return;
      }
      if (half(consumer) - (time.nanoTime() - kept) <= 0) {
        kept = time.nanoTime();
        consumer.keepAlive();
      }
      left = half(consumer) - (time.nanoTime() - kept);
    }
  }

  private static Duration shorter(long nanos) {
    return Duration.ofNanos(Math.min(Math.max(0, nanos), WAIT.toNanos()));
  }
}
