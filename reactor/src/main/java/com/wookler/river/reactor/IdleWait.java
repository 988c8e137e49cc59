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
 * Waits for a worker without a thread: until a future of the subscriber completes with messages,
 * until the reactor is resumed or stopped, or until a time is over. Thread-safe.
 *
 * <p>A wait is ended once, by the thread that sets {@code idle} to false: that thread runs the
 * worker again, or ends it. A future is dropped only after it was cancelled successfully, because
 * the messages of a completed one are delivered. A thread that changes the gate calls {@link
 * #checkGate} afterwards; so does a thread that has just requested a future. So one of the two sees
 * the change of the other.
 */
final class IdleWait<M> {
  private static final Logger LOG = LoggerFactory.getLogger(IdleWait.class);
  private static final Duration LONGEST_WAIT = Duration.ofDays(1); // a publish ends it sooner
  private static final long EMPTY_BATCH_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long NO_THREAD_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Worker<M> worker;
  private final ReactorRuntime<M> runtime;
  private final WorkerGroup<M> group;

  @GuardedBy("this")
  private boolean idle;

  @GuardedBy("this")
  private boolean requesting; // a thread is about to set pending, and checks the gate afterwards

  @GuardedBy("this")
  private boolean timed; // a timer will check the gate

  @GuardedBy("this")
  private @Nullable CompletableFuture<List<Delivery<M>>> pending;

  @GuardedBy("this")
  private List<Delivery<M>> arrived = List.of();

  IdleWait(Worker<M> worker, ReactorRuntime<M> runtime, WorkerGroup<M> group) {
    this.worker = worker;
    this.runtime = runtime;
    this.group = group;
  }

  /**
   * Begins a wait; the worker's thread becomes free.
   *
   * @param nanos the least time to wait, whatever happens; 0: none
   * @return whether the wait is over already, so that the worker continues on this thread
   */
  boolean begin(long nanos) {
    synchronized (this) {
      idle = true;
      timed = nanos > 0;
    }
    if (nanos > 0) {
      startTimer(nanos);
      checkGate();
      return false;
    }
    return proceed();
  }

  private void startTimer(long nanos) {
    CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS)
        .execute(
            () -> {
              synchronized (this) {
                timed = false;
              }
              checkGate();
            });
  }

  /** Returns the messages that ended the wait, once. */
  synchronized List<Delivery<M>> takeArrived() {
    List<Delivery<M>> batch = arrived;
    arrived = List.of();
    return batch;
  }

  /** Checks the gate, and ends or continues the wait accordingly. */
  void checkGate() {
    CompletableFuture<List<Delivery<M>>> cancelled;
    synchronized (this) {
      if (!idle || requesting) {
        return;
      }
      cancelled = pending;
      if (cancelled != null && runtime.gate().state() == PauseGate.State.OPEN) {
        return;
      }
    }
    if (cancelled != null && !cancelled.cancel(false)) {
      return; // it has completed with messages
    }
    synchronized (this) {
      if (pending == cancelled) {
        pending = null;
      }
    }
    if (proceed()) {
      group.resumeWorker(worker);
    }
  }

  /** Continues according to the gate; returns whether the caller is to run the worker. */
  private boolean proceed() {
    return switch (runtime.gate().state()) {
      case STOPPED -> {
        if (endWait(List.of())) {
          group.workerEnded(worker, null);
        }
        yield false;
      }
      case PAUSED -> false; // resume checks the gate
      case OPEN -> {
        long held = runtime.gate().remainingHoldNanos();
        if (held == 0) {
          yield requestMessages();
        }
        waitFor(held);
        yield false;
      }
    };
  }

  private void waitFor(long nanos) {
    synchronized (this) {
      if (!idle || timed || pending != null) {
        return;
      }
      timed = true;
    }
    startTimer(nanos);
  }

  private boolean requestMessages() {
    synchronized (this) {
      if (!idle || requesting || timed || pending != null) {
        return false;
      }
      requesting = true;
    }
    CompletableFuture<List<Delivery<M>>> future = null;
    Throwable failure = null;
    try {
      future = request();
    } catch (RuntimeException | Error e) {
      failure = e;
    }
    synchronized (this) {
      requesting = false;
      pending = future;
    }
    if (future == null) {
      return subscriberFailed(failure);
    }
    if (future.isDone() && !future.isCompletedExceptionally()) { // no callback, no recursion
      return messagesArrived(future, future.join());
    }
    CompletableFuture<List<Delivery<M>>> requested = future;
    CompletableFuture<?> unused = future.whenComplete((batch, e) -> completed(requested, batch, e));
    if (runtime.gate().state() != PauseGate.State.OPEN) {
      checkGate();
    }
    return false;
  }

  /**
   * Requests a batch. The thread that completes the future starts a worker with a thread of its own
   * directly. An executor of the user's is called on the common pool, as it may run tasks inline.
   */
  private CompletableFuture<List<Delivery<M>>> request() {
    return group.hasOwnThreads()
        ? runtime.subscriber().batchAsync(runtime.batchSize(), LONGEST_WAIT, Runnable::run)
        : runtime.subscriber().batchAsync(runtime.batchSize(), LONGEST_WAIT);
  }

  private void completed(
      CompletableFuture<List<Delivery<M>>> future,
      @Nullable List<Delivery<M>> batch,
      @Nullable Throwable e) {
    if (e instanceof CancellationException) {
      return; // the thread that cancelled it continues
    }
    boolean run = batch == null ? requestFailed(future, e) : messagesArrived(future, batch);
    if (run) {
      group.resumeWorker(worker);
    }
  }

  private boolean requestFailed(
      CompletableFuture<List<Delivery<M>>> future, @Nullable Throwable e) {
    synchronized (this) {
      if (pending != future) {
        return false;
      }
      pending = null;
    }
    return subscriberFailed(e);
  }

  private boolean subscriberFailed(@Nullable Throwable e) {
    if (e instanceof QueueClosedException) {
      runtime.gate().setState(PauseGate.State.STOPPED);
      return proceed();
    }
    long nanos =
        worker.subscriberFailed(
            e == null ? new IllegalStateException("the future completed without messages") : e);
    synchronized (this) {
      timed = true;
    }
    startTimer(nanos);
    checkGate(); // the gate may have been closed during the request
    return false;
  }

  private boolean messagesArrived(
      CompletableFuture<List<Delivery<M>>> future, List<Delivery<M>> batch) {
    synchronized (this) {
      if (pending == future) {
        pending = null;
      }
    }
    if (batch.isEmpty()) { // the request may have returned at once: no busy loop
      waitFor(EMPTY_BATCH_PAUSE_NANOS);
      return false;
    }
    return endWait(batch);
  }

  private synchronized boolean endWait(List<Delivery<M>> batch) {
    if (!idle) {
      return false;
    }
    idle = false;
    arrived = batch;
    return true;
  }

  /** Returns the messages that have arrived, and waits, because no thread is available. */
  void threadUnavailable(Throwable why) {
    LOG.error(
        "No thread is available for subscriber {}; trying again", runtime.subscriber().name(), why);
    takeArrived().forEach(delivery -> Worker.returnToSubscriber(delivery, false));
    begin(NO_THREAD_PAUSE_NANOS);
  }
}
