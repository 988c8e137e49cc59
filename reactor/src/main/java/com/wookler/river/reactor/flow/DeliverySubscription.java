package com.wookler.river.reactor.flow;

import com.wookler.river.common.utils.Amount;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.StaleReceiptException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One subscription of a {@link DeliveryPublisher}. All signals come from {@link #run}, of which one
 * runs at a time: the call that raises {@code work} from zero starts it, and it ends when it has
 * brought it back to zero. So signals are serial, and a request within {@code onNext} does not
 * recurse.
 */
final class DeliverySubscription<M> implements Flow.Subscription, Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(DeliverySubscription.class);
  private static final Duration PATIENCE = Duration.ofDays(1); // then it asks anew

  private final Subscriber<M> source;
  private final boolean acks;
  private final Executor executor;
  private final AtomicInteger work = new AtomicInteger(1); // until onSubscribe has returned
  private final AtomicLong demand = new AtomicLong();
  private volatile boolean cancelled; // never false again
  private volatile @Nullable IllegalArgumentException wrong; // a request of the consumer's
  private volatile @Nullable Throwable refusal; // the executor's
  private volatile @Nullable CompletableFuture<List<Delivery<M>>> pending; // written by run only
  private Flow.@Nullable Subscriber<? super Delivery<M>> consumer; // confined to run; null: ended

  DeliverySubscription(
      Subscriber<M> source,
      boolean acks,
      Executor executor,
      Flow.Subscriber<? super Delivery<M>> consumer) {
    this.source = source;
    this.acks = acks;
    this.executor = executor;
    this.consumer = consumer;
  }

  void begin() {
    try {
      executor.execute(this);
    } catch (RuntimeException | Error e) { // it takes nothing any more: the last signal comes here
      refusal = e;
      run();
    }
  }

  @Override
  public void request(long number) {
    if (number <= 0) {
      wrong = new IllegalArgumentException("request of " + number + " (§3.9: it must be positive)");
    } else {
      demand.accumulateAndGet(number, (had, more) -> had + more < 0 ? Long.MAX_VALUE : had + more);
    }
    schedule();
  }

  @Override
  public void cancel() {
    cancelled = true;
    CompletableFuture<List<Delivery<M>>> waiting = pending;
    if (waiting != null) {
      waiting.cancel(false); // refused if there are messages: run gives them back
    }
    schedule();
  }

  private void schedule() {
    if (work.getAndIncrement() == 0) {
      begin();
    }
  }

  @Override
  public void run() {
    int seen = work.get();
    do {
      step();
      seen = work.addAndGet(-seen);
    } while (seen != 0);
  }

  private void step() {
    while (consumer != null) {
      IllegalArgumentException mistake = wrong;
      Throwable refused = refusal;
      if (cancelled) {
        end(ended -> {});
      } else if (mistake != null) {
        end(ended -> ended.onError(mistake));
      } else if (refused != null) {
        end(ended -> ended.onError(refused));
      } else if (!give()) {
        return;
      }
    }
  }

  /** Ends it with a signal; nothing refers to the consumer any more. */
  private void end(Consumer<Flow.Subscriber<? super Delivery<M>>> signal) {
    Flow.Subscriber<? super Delivery<M>> ended = consumer;
    consumer = null;
    cancelled = true;
    CompletableFuture<List<Delivery<M>>> left = pending;
    pending = null;
    if (left != null && !left.cancel(false) && !left.isCompletedExceptionally()) {
      CompletableFuture<?> unused = left.thenAccept(this::giveBack);
    }
    if (ended != null) {
      try {
        signal.accept(ended);
      } catch (RuntimeException e) {
        LOG.warn("A consumer of subscriber {} threw at its end", source.name(), e);
      }
    }
  }

  /** Gives what there is; false if there is nothing to do now. */
  private boolean give() {
    CompletableFuture<List<Delivery<M>>> future = pending;
    if (future == null) {
      long wanted = demand.get();
      if (wanted == 0) {
        return false;
      }
      future = ask((int) Math.min(wanted, source.config().batchSize()));
    }
    if (!future.isDone()) {
      return false;
    }
    pending = null;
    try {
      emit(future.join());
    } catch (CompletionException e) {
      ended(e.getCause() == null ? e : e.getCause());
    } catch (RuntimeException e) { // cancelled, by whom ever
      ended(e);
    }
    return true;
  }

  private CompletableFuture<List<Delivery<M>>> ask(int most) {
    CompletableFuture<List<Delivery<M>>> future;
    try {
      future = source.batchAsync(most, PATIENCE);
    } catch (RuntimeException | Error e) {
      future = CompletableFuture.failedFuture(e);
    }
    pending = future;
    if (!future.isDone()) {
      CompletableFuture<?> unused = future.whenComplete((batch, e) -> schedule());
      if (cancelled) { // it has not seen the future
        future.cancel(false);
      }
    }
    return future;
  }

  private void ended(Throwable e) {
    if (e instanceof QueueClosedException) {
      end(Flow.Subscriber::onComplete);
    } else {
      end(ended -> ended.onError(e));
    }
  }

  private void emit(List<Delivery<M>> batch) {
    demand.updateAndGet(had -> had == Long.MAX_VALUE ? had : had - batch.size());
    List<Delivery<M>> given = new ArrayList<>(batch.size());
    for (int i = 0; i < batch.size(); i++) {
      Flow.Subscriber<? super Delivery<M>> to = consumer;
      if (to == null || cancelled || wrong != null) {
        giveBack(batch.subList(i, batch.size()));
        break;
      }
      try {
        to.onNext(batch.get(i));
        given.add(batch.get(i));
      } catch (Throwable e) { // against the rules of streams (§2.13): no signal may follow
        LOG.error("A consumer of subscriber {} threw; its stream ends", source.name(), e);
        decide(batch.get(i), delivery -> delivery.fail(e));
        end(ended -> {});
      }
    }
    if (acks && !given.isEmpty()) {
      acknowledge(given);
    }
  }

  private void acknowledge(List<Delivery<M>> given) {
    try {
      source.ack(given);
    } catch (StaleReceiptException | QueueClosedException e) {
      LOG.debug("Acknowledged too late: {}", e.getMessage());
    } catch (RuntimeException e) {
      LOG.error(
          "Cannot acknowledge {}, to be delivered again", Amount.of(given.size(), "message"), e);
    }
  }

  private void giveBack(List<Delivery<M>> batch) {
    batch.forEach(delivery -> decide(delivery, Delivery::release));
  }

  private void decide(Delivery<M> delivery, Consumer<Delivery<M>> acknowledgement) {
    try {
      acknowledgement.accept(delivery);
    } catch (StaleReceiptException | QueueClosedException e) {
      LOG.debug("Sequence {} was decided meanwhile", delivery.sequence());
    } catch (RuntimeException e) { // the stream continues, or ends as it should
      LOG.error("Cannot decide over sequence {}", delivery.sequence(), e);
    }
  }
}
