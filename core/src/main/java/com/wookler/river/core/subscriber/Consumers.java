package com.wookler.river.core.subscriber;

import com.wookler.river.common.Waiters;
import com.wookler.river.common.utils.Require;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
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
  private volatile long usedAt;

  /** Creates it; {@code line}: in which they wait, one for each owner. */
  Consumers(
      DeliveryOwner<M> deliveries,
      SubscriberState<M> state,
      Poller<M> poller,
      Waiters.Line line,
      AckHandler<M> ackHandler) {
    this.state = state;
    this.line = line;
    this.poller = poller;
    this.waiting = new BlockingWaiters<>(line, state.time, poller);
    this.views = new ViewConsumer<>(deliveries, state, poller, waiting, ackHandler);
    this.async = new AsyncWaiters<>(line, state.time, poller, state.config.filter() != null);
    this.usedAt = state.time.nanoTime();
  }

  /** Notes that it is used now. */
  Consumers<M> used() {
    usedAt = state.time.nanoTime();
    return this;
  }

  /** Returns whether it was used within a time, or one of them waits. */
  boolean isInUse(long nanos) {
    return line.hasWaiters() || state.time.nanoTime() - usedAt < nanos;
  }

  @Nullable Delivery<M> next() {
    return poller.takeOne();
  }

  @Nullable Delivery<M> next(Duration timeout) throws InterruptedException {
    Objects.requireNonNull(timeout, "timeout");
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    Delivery<M> first = next(); // mostly there is one, and it needs no list
    if (first != null) {
      return first;
    }
    return waiting.await(poller::takeOne, timeout);
  }

  List<Delivery<M>> batch(int max, Duration timeout) throws InterruptedException {
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
  }

  int consume(int max, Duration timeout, ViewHandler handler) throws InterruptedException {
    Require.positive(max, "max");
    Objects.requireNonNull(timeout, "timeout");
    return views.consume(max, timeout, Objects.requireNonNull(handler, "handler"));
  }

  CompletableFuture<List<Delivery<M>>> batchAsync(int max, Duration timeout, Executor completer) {
    Require.positive(max, "max");
    Objects.requireNonNull(timeout, "timeout");
    return async.take(max, timeout, Objects.requireNonNull(completer, "completer"));
  }

  /** Looks for those that wait without a thread; {@code mayBeDue}: something may be due. */
  void runMaintenance(boolean mayBeDue) {
    async.runMaintenance(mayBeDue || poller.mayTakeAgain());
  }

  /** Takes or renews the lease of their owner; returns false if another one has it. */
  boolean renewLease() {
    return poller.renewLease();
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
