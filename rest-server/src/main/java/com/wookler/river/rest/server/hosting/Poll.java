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
 * One request that takes messages. It takes some at a time, so that it never holds much more than
 * an answer's worth, and gives back what it cannot hand over because nobody waits any more.
 */
public final class Poll<M> {
  /** Of the data in an answer; the message that passes it is still in it. */
  static final long MOST_BYTES = 8 << 20;

  private static final int MOST_AT_ONCE = 64;
  private static final int FIRST_AT_ONCE = 8; // of which the size is not known

  private final BufferBudget budget;
  private final HostedQueue<?> queue;
  private final HostedSubscriber<M> subscriber;
  private final int max;
  private final Latencies latencies;
  private final Consumer<Poll<M>> whenOver;

  /** Written by one thread after the other, each begun by the one before. */
  private final List<Delivery<M>> taken = new ArrayList<>();

  private final CompletableFuture<List<Delivery<M>>> all = new CompletableFuture<>();

  /** What is waited for now; volatile: whoever ends the poll completes it. */
  private volatile @Nullable CompletableFuture<List<Delivery<M>>> asked;

  private volatile boolean ended;

  Poll(HostedQueue<?> queue, HostedSubscriber<M> subscriber, int max, Polls polls) {
    this.queue = queue;
    this.subscriber = subscriber;
    this.max = max;
    this.latencies = polls.latencies();
    this.budget = polls.budget();
    this.whenOver = polls::ended;
  }

  String queueName() {
    return queue.queue().name();
  }

  /** Begins to wait; may block for a moment. */
  void start(Duration wait) {
    take(wait, 0, FIRST_AT_ONCE);
  }

  private void take(Duration wait, long bytes, int atOnce) {
    CompletableFuture<List<Delivery<M>>> next;
    try {
      next = subscriber.subscriber().batchAsync(Math.min(atOnce, max - taken.size()), wait);
    } catch (RuntimeException e) {
      next = CompletableFuture.failedFuture(e);
    }
    asked = next;
    if (ended) {
      next.complete(List.of());
    }
    var unused = next.whenComplete((some, failed) -> took(some, failed, bytes, atOnce));
  }

  private void took(
      @Nullable List<Delivery<M>> some, @Nullable Throwable failed, long before, int atOnce) {
    if (some == null) {
      over(failed);
      return;
    }
    long bytes = before;
    for (Delivery<M> each : some) {
      bytes += Objects.requireNonNull(each.bytes(), "bytes").length;
    }
    taken.addAll(some);
    boolean enough = bytes >= budget.answerBytes() || !budget.hasRoom();
    if (some.isEmpty() || taken.size() >= max || enough || ended) {
      over(null);
    } else {
      take(Duration.ZERO, bytes, Math.min(MOST_AT_ONCE, 2 * atOnce));
    }
  }

  private void over(@Nullable Throwable failed) {
    whenOver.accept(this);
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

  /** The subscriber was removed while this waited, with its queue perhaps, or was closed. */
  private void closed(Throwable failed) {
    boolean known = queue.forget(subscriber);
    String name = subscriber.subscriber().name();
    boolean runs = queue.queue().state() == QueueState.RUNNING;
    if (queue.isRemoved() || (runs && !known)) {
      all.completeExceptionally(
          RequestException.of(
              RequestException.Reason.NOT_FOUND,
              "subscriber '" + name + "' was removed meanwhile"));
    } else if (runs) {
      all.complete(taken); // the application has closed it: the next who asks opens it anew
    } else {
      all.completeExceptionally(failed);
    }
  }

  /** Waits no longer: what was taken by now is the answer. Any thread. */
  public void end() {
    ended = true;
    CompletableFuture<List<Delivery<M>>> now = asked;
    if (now != null) {
      now.complete(List.of());
    }
  }

  /** Returns what the poll takes; completed on any thread. */
  public CompletableFuture<List<Delivery<M>>> deliveries() {
    return all;
  }

  /** Returns why the caller may not have what was taken, because its key has changed; or null. */
  public @Nullable RequestException refusal(Access access) {
    return access.refusal(Right.CONSUME, queueName());
  }

  /** Counts what was taken as delivered. */
  public void delivered() {
    latencies.delivered(subscriber, taken);
  }

  /** Gives back what nobody can be answered with; may block. */
  public void giveBack() {
    if (!taken.isEmpty()) {
      subscriber.giveBack(taken.stream().map(Delivery::receipt).toList());
    }
  }
}
