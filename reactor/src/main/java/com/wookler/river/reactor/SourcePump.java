package com.wookler.river.reactor;

import com.wookler.river.common.Interrupts;
import com.wookler.river.common.TimeSource;
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

  private final SourceSubscriber<M> subscriber;
  private final DeliverySource<M> source;
  private final int max;
  private final TimeSource time = TimeSource.system();
  private @Nullable SourceRequest<M> request; // that waits for this consumer
  private boolean failed; // so that it is logged once

  SourcePump(SourceSubscriber<M> subscriber, DeliverySource<M> source, int max) {
    this.subscriber = subscriber;
    this.source = source;
    this.max = max;
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
      }
    } finally {
      Interrupts.defer(consumer::close); // an interrupted client would not close
    }
  }

  private void step(DeliverySource.Consumer<M> consumer) throws InterruptedException {
    if (request == null || request.isDone()) {
      request = subscriber.awaitRequest(WAIT);
    } else if (subscriber.isPaused()) {
      subscriber.awaitClosed(WAIT);
    } else {
      List<Delivery<M>> taken = consumer.take(WAIT);
      if (!taken.isEmpty()) {
        process(new SourceBatch<>(taken, source.backoff()), consumer);
      }
    }
  }

  /** Has a batch processed, and settles what is answered when that ends, however it does. */
  private void process(SourceBatch<M> batch, DeliverySource.Consumer<M> consumer)
      throws InterruptedException {
    try {
      if (deliver(batch, consumer.lease().dividedBy(2))) {
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

  private static <M> void settle(SourceBatch<M> batch, DeliverySource.Consumer<M> consumer) {
    List<Settlement> answers = batch.close();
    Interrupts.defer(() -> consumer.settle(answers)); // an interrupted client would not send them
  }

  /**
   * Completes the request for which the batch was taken, or, if that was cancelled meanwhile, one
   * that comes soon: giving the batch back may count as an attempt.
   */
  private boolean deliver(SourceBatch<M> batch, Duration patience) throws InterruptedException {
    long until = time.nanoTime() + patience.toNanos();
    long left = patience.toNanos();
    while (left > 0 && !subscriber.isClosed() && !subscriber.isPaused()) {
      SourceRequest<M> waiting = request;
      request = null;
      if (waiting != null && waiting.claim()) {
        waiting.deliver(batch.deliveries());
        return true;
      }
      request = subscriber.awaitRequest(shorter(left));
      left = until - time.nanoTime();
    }
    return false;
  }

  private void awaitAnswers(SourceBatch<M> batch, DeliverySource.Consumer<M> consumer)
      throws InterruptedException {
    long half = consumer.lease().toNanos() / 2;
    long kept = time.nanoTime();
    long left = half;
    while (!batch.await(shorter(left)) && !subscriber.isClosedFor(GRACE)) {
      left = half - (time.nanoTime() - kept);
      if (left <= 0) {
        consumer.keepAlive();
        kept = time.nanoTime();
        left = half;
      }
    }
  }

  private static Duration shorter(long nanos) {
    return Duration.ofNanos(Math.min(nanos, WAIT.toNanos()));
  }
}
