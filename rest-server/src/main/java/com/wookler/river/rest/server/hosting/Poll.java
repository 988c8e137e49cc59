package com.wookler.river.rest.server.hosting;

import com.wookler.river.core.QueueState;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.subscriber.Delivery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A request that polls a subscriber. It polls in small batches, so that it never holds much more
 * than one response, and releases the messages if the client does not wait any more.
 */
public final class Poll<M> {
  /** The size of data at which a response ends, including the message that exceeds it. */
  static final long MAX_BYTES = 8 << 20;

  private static final int MAX_BATCH = 64;
  private static final int FIRST_BATCH = 8; // because the size is not known

  private final BufferBudget budget;
  private final HostedQueue<?> queue;
  private final HostedSubscriber<M> subscriber;
  private final int max;
  private final Latencies latencies;
  private final Consumer<Poll<M>> onEnd;

  /** Written by one thread after the other, with a happens-before between them. */
  private final List<Delivery<M>> taken = new ArrayList<>();

  private final CompletableFuture<List<Delivery<M>>> all = new CompletableFuture<>();

  /** The current batch; volatile: the thread that ends the poll completes it. */
  private volatile @Nullable CompletableFuture<List<Delivery<M>>> pending;

  private volatile boolean ended;

  Poll(HostedQueue<?> queue, HostedSubscriber<M> subscriber, int max, PollRegistry polls) {
    this.queue = queue;
    this.subscriber = subscriber;
    this.max = max;
    this.latencies = polls.latencies();
    this.budget = polls.budget();
    this.onEnd = polls::ended;
  }

  HostedSubscriber<M> subscriber() {
    return subscriber;
  }

  String queueName() {
    return queue.queue().name();
  }

  /** Starts the poll. May block for a moment. */
  void start(Duration wait) {
    take(wait, 0, FIRST_BATCH);
  }

  private void take(Duration wait, long bytes, int atOnce) {
    CompletableFuture<List<Delivery<M>>> next;
    try {
      next = subscriber.consumer().batchAsync(Math.min(atOnce, max - taken.size()), wait);
    } catch (RuntimeException e) {
      next = CompletableFuture.failedFuture(e);
    }
    pending = next;
    if (ended) {
      next.complete(List.of());
    }
    var unused = next.whenComplete((some, failed) -> received(some, failed, bytes, atOnce));
  }

  private void received(
      @Nullable List<Delivery<M>> some, @Nullable Throwable failed, long before, int atOnce) {
    if (some == null) {
      complete(failed);
      return;
    }
    long bytes = before;
    for (Delivery<M> each : some) {
      bytes += Objects.requireNonNull(each.bytes(), "bytes").length;
    }
    taken.addAll(some);
    boolean full = bytes >= budget.answerBytes() || !budget.hasCapacity();
    if (some.isEmpty() || taken.size() >= max || full || ended) {
      complete(null);
    } else {
      take(Duration.ZERO, bytes, Math.min(MAX_BATCH, 2 * atOnce));
    }
  }

  private void complete(@Nullable Throwable failed) {
    onEnd.accept(this);
    if (failed == null || !taken.isEmpty()) {
      all.complete(taken);
      return;
    }
    if (RequestException.causeOf(failed) instanceof QueueClosedException) {
      closed(failed);
      return;
    }
    all.completeExceptionally(failed);
  }

  /** Completes the poll after the subscriber was removed, with or without its queue, or closed. */
  private void closed(Throwable failed) {
    boolean known = queue.forget(subscriber);
    String name = subscriber.subscriber().name();
    boolean runs = queue.queue().state() == QueueState.RUNNING;
    if (queue.isRemoved() || (runs && !known)) {
      all.completeExceptionally(
          RequestException.of(
              RequestException.Reason.NOT_FOUND,
              "subscriber '" + name + "' was removed during the poll"));
    } else if (runs) {
      all.complete(taken); // the application has closed it: the next request reopens it
    } else {
      all.completeExceptionally(failed);
    }
  }

  /** Ends the poll with the messages polled so far. Called by any thread. */
  public void end() {
    ended = true;
    CompletableFuture<List<Delivery<M>>> now = pending;
    if (now != null) {
      now.complete(List.of());
    }
  }

  /** Returns the polled messages. Completes on any thread. */
  public CompletableFuture<List<Delivery<M>>> deliveries() {
    return all;
  }

  /**
   * Returns the error if the caller may not get the messages, because its key has changed; else
   * null.
   */
  public @Nullable RequestException denial(Access access) {
    return access.denial(Right.CONSUME, queueName());
  }

  /** Records the messages as delivered. */
  public void delivered() {
    latencies.delivered(subscriber, taken);
  }

  /** Releases messages that cannot be sent. May block. */
  public void release() {
    if (!taken.isEmpty()) {
      subscriber.release(taken.stream().map(Delivery::receipt).toList());
    }
  }
}
