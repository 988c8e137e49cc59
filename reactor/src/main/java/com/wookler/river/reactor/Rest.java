package com.wookler.river.reactor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.subscriber.Delivery;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A worker's rest, without a thread: until a future of the subscriber brings messages, until the
 * reactor is resumed or stopped, or until a time is over. Thread-safe.
 *
 * <p>A rest is ended once, by whoever sets {@code resting} to false: that one has the worker run
 * again, or ends it. A future is never given up before it was cancelled successfully, as what it
 * brings was handed over; and who changes the gate looks afterwards ({@link #look}), as does who
 * has just asked for a future: so one of the two sees the other.
 */
final class Rest<M> {
  private static final Logger LOG = LoggerFactory.getLogger(Rest.class);
  private static final Duration PATIENCE = Duration.ofDays(1); // a publish ends it sooner
  private static final long BEFORE_ASKING_AGAIN = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long WITHOUT_THREAD = TimeUnit.SECONDS.toNanos(1);

  private final Worker<M> worker;
  private final Plan<M> plan;
  private final Crew<M> crew;

  @GuardedBy("this")
  private boolean resting;

  @GuardedBy("this")
  private boolean asking; // is about to set pending, and looks at the gate behind that

  @GuardedBy("this")
  private boolean timed; // a timer ends it

  @GuardedBy("this")
  private @Nullable CompletableFuture<List<Delivery<M>>> pending;

  @GuardedBy("this")
  private List<Delivery<M>> arrived = List.of();

  Rest(Worker<M> worker, Plan<M> plan, Crew<M> crew) {
    this.worker = worker;
    this.plan = plan;
    this.crew = crew;
  }

  /**
   * Begins; the worker's thread may do something else.
   *
   * @param nanos to rest in any case
   * @return whether it is over already: the worker shall go on on this thread
   */
  boolean begin(long nanos) {
    synchronized (this) {
      resting = true;
      timed = nanos > 0;
    }
    if (nanos > 0) {
      timer(nanos);
      look();
      return false;
    }
    return arrange();
  }

  private void timer(long nanos) {
    CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS)
        .execute(
            () -> {
              synchronized (this) {
                timed = false;
              }
              look();
            });
  }

  /** What was brought at the end of the rest, once. */
  synchronized List<Delivery<M>> takeArrived() {
    List<Delivery<M>> batch = arrived;
    arrived = List.of();
    return batch;
  }

  /** Looks at the gate: it may be time to wake up, or not to wait for messages any more. */
  void look() {
    CompletableFuture<List<Delivery<M>>> cancelled;
    synchronized (this) {
      if (!resting || asking) {
        return;
      }
      cancelled = pending;
      if (cancelled != null && plan.gate().state() == Gate.State.OPEN) {
        return;
      }
    }
    if (cancelled != null && !cancelled.cancel(false)) {
      return; // it brings messages
    }
    synchronized (this) {
      if (pending == cancelled) {
        pending = null;
      }
    }
    if (arrange()) {
      crew.start(worker);
    }
  }

  /** Does what the gate asks for; true if the worker shall run, by whoever called. */
  private boolean arrange() {
    return switch (plan.gate().state()) {
      case STOPPED -> {
        if (end(List.of())) {
          crew.ended(worker, null);
        }
        yield false;
      }
      case PAUSED -> false; // resume looks
      case OPEN -> {
        long held = plan.gate().heldFor();
        if (held == 0) {
          yield ask();
        }
        waitFor(held);
        yield false;
      }
    };
  }

  private void waitFor(long nanos) {
    synchronized (this) {
      if (!resting || timed || pending != null) {
        return;
      }
      timed = true;
    }
    timer(nanos);
  }

  private boolean ask() {
    synchronized (this) {
      if (!resting || asking || timed || pending != null) {
        return false;
      }
      asking = true;
    }
    CompletableFuture<List<Delivery<M>>> future = null;
    Throwable failure = null;
    try {
      future = messages();
    } catch (RuntimeException | Error e) {
      failure = e;
    }
    synchronized (this) {
      asking = false;
      pending = future;
    }
    if (future == null) {
      return failed(failure);
    }
    if (future.isDone() && !future.isCompletedExceptionally()) { // no detour, and no recursion
      return brought(future, future.join());
    }
    CompletableFuture<List<Delivery<M>>> asked = future;
    CompletableFuture<?> unused = future.whenComplete((batch, e) -> completed(asked, batch, e));
    if (plan.gate().state() != Gate.State.OPEN) {
      look();
    }
    return false;
  }

  /** An own thread needs no other one in between; a user's executor may run what it likes. */
  private CompletableFuture<List<Delivery<M>>> messages() {
    return crew.hasOwnThreads()
        ? plan.subscriber().batchAsync(plan.batchSize(), PATIENCE, Runnable::run)
        : plan.subscriber().batchAsync(plan.batchSize(), PATIENCE);
  }

  private void completed(
      CompletableFuture<List<Delivery<M>>> future,
      @Nullable List<Delivery<M>> batch,
      @Nullable Throwable e) {
    if (e instanceof CancellationException) {
      return; // whoever cancelled goes on
    }
    boolean run = batch == null ? failedLater(future, e) : brought(future, batch);
    if (run) {
      crew.start(worker);
    }
  }

  private boolean failedLater(CompletableFuture<List<Delivery<M>>> future, @Nullable Throwable e) {
    synchronized (this) {
      if (pending != future) {
        return false;
      }
      pending = null;
    }
    return failed(e);
  }

  private boolean failed(@Nullable Throwable e) {
    if (e instanceof QueueClosedException) {
      plan.gate().become(Gate.State.STOPPED);
      return arrange();
    }
    long nanos = worker.failed(e == null ? new IllegalStateException("no messages") : e);
    synchronized (this) {
      timed = true;
    }
    timer(nanos);
    return false;
  }

  private boolean brought(CompletableFuture<List<Delivery<M>>> future, List<Delivery<M>> batch) {
    synchronized (this) {
      if (pending == future) {
        pending = null;
      }
    }
    if (batch.isEmpty()) { // it did not wait for long, perhaps: not at once again
      waitFor(BEFORE_ASKING_AGAIN);
      return false;
    }
    return end(batch);
  }

  private synchronized boolean end(List<Delivery<M>> batch) {
    if (!resting) {
      return false;
    }
    resting = false;
    arrived = batch;
    return true;
  }

  /** It cannot be run now: nobody has a thread for it. */
  void goOn(Throwable why) {
    LOG.error("No thread for subscriber {}; trying again", plan.subscriber().name(), why);
    takeArrived().forEach(delivery -> Worker.giveBack(delivery, false));
    begin(WITHOUT_THREAD);
  }
}
