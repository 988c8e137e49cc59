package com.wookler.river.core.subscriber;

import com.wookler.river.common.Waiters;
import com.wookler.river.common.utils.Require;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The consumers of a subscriber that poll for one owner: how they take messages, and how they wait.
 * A subscriber that is not exclusive has one of these.
 */
final class Consumers<M> {
  private final Waiters.Line line;
  private final SubscriberState<M> state;
  private final Poller<M> poller;
  private final BlockingWaiters<M> waiting;
  private final AsyncWaiters<M> async;
  private final ViewConsumer<M> views;
  private final @Nullable AtomicInteger calls; // under way; null: they are never forgotten
  private volatile long usedAt;

  /**
   * Creates it.
   *
   * @param line in which they wait, one for each owner
   * @param counted whether calls are counted, because it is forgotten when it is not in use
   */
  Consumers(
      DeliveryOwner<M> deliveries,
      SubscriberState<M> state,
      Poller<M> poller,
      Waiters.Line line,
      AckHandler<M> ackHandler,
      boolean counted) {
    this.calls = counted ? new AtomicInteger() : null;
    this.state = state;
    this.line = line;
    this.poller = poller;
    this.waiting = new BlockingWaiters<>(line, state.time, poller);
    this.views = new ViewConsumer<>(deliveries, state, poller, waiting, ackHandler);
    this.async = new AsyncWaiters<>(line, state.time, poller, state.config.filter() != null);
    this.usedAt = state.time.nanoTime();
  }

  /** Notes that a call begins; to be followed by exactly one call that polls or renews. */
  Consumers<M> began() {
    if (calls != null) {
      calls.incrementAndGet();
    }
    return this;
  }

  /** Notes that a call ends. */
  private void ended() {
    if (calls != null) {
      usedAt = state.time.nanoTime();
      calls.decrementAndGet();
    }
  }

  /** Returns whether it was used within a time, or one of them polls or waits. */
  boolean isInUse(long nanos) {
    return calls == null
        || calls.get() > 0
        || async.isAwaited()
        || state.time.nanoTime() - usedAt < nanos;
  }

  @Nullable Delivery<M> next() {
    try {
      return poller.takeOne();
    } finally {
      ended();
    }
  }

  @Nullable Delivery<M> next(Duration timeout) throws InterruptedException {
    try {
      Objects.requireNonNull(timeout, "timeout");
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      Delivery<M> first = poller.takeOne(); // mostly there is one, and it needs no list
      if (first != null) {
        return first;
      }
      return waiting.await(poller::takeOne, timeout);
    } finally {
      ended();
    }
  }

  List<Delivery<M>> batch(int max, Duration timeout) throws InterruptedException {
    try {
      Require.positive(max, "max");
      Objects.requireNonNull(timeout, "timeout");
      List<Delivery<M>> taken =
          waiting.await(
              () -> {
                List<Delivery<M>> found = poller.take(max);
                return found.isEmpty() ? null : found;
              },
              timeout);
      return taken == null ? List.of() : taken;
    } finally {
      ended();
    }
  }

  int consume(int max, Duration timeout, ViewHandler handler) throws InterruptedException {
    try {
      Require.positive(max, "max");
      Objects.requireNonNull(timeout, "timeout");
      return views.consume(max, timeout, Objects.requireNonNull(handler, "handler"));
    } finally {
      ended();
    }
  }

  CompletableFuture<List<Delivery<M>>> batchAsync(int max, Duration timeout, Executor completer) {
    try {
      Require.positive(max, "max");
      Objects.requireNonNull(timeout, "timeout");
      return async.take(max, timeout, Objects.requireNonNull(completer, "completer"));
    } finally {
      ended();
    }
  }

  /** Looks for those that wait without a thread; {@code mayBeDue}: something may be due. */
  void runMaintenance(boolean mayBeDue) {
    async.runMaintenance(mayBeDue || poller.mayTakeAgain());
  }

  /** Takes or renews the lease of their owner; returns false if another one has it. */
  boolean renewLease() {
    try {
      return poller.renewLease();
    } finally {
      ended();
    }
  }

  /** Has all that wait look again. */
  void wake() {
    line.wakeAll();
  }

  boolean haveWaiters() {
    return line.hasWaiters();
  }

  /** Wakes all that wait; the subscriber is closed. */
  void close() {
    line.close();
    async.close();
  }
}
