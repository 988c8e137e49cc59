package com.wookler.river.reactor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.StaleReceiptException;
import com.wookler.river.core.subscriber.Delivery;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One consumer of a reactor: takes batches and runs them through the chain until the reactor stops.
 * Without messages it needs no thread and {@link IdleWait waits}.
 */
final class Worker<M> implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
  private static final long FIRST_ERROR_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long LONGEST_ERROR_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long PAUSE_AFTER_INTERRUPT_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final ReactorRuntime<M> runtime;
  private final Chain<M> chain;
  private final PauseGate gate;
  private final WorkerGroup<M> group;
  private final int number;
  private final boolean isBorrowed;
  private final IdleWait<M> idleWait;

  @GuardedBy("this")
  private @Nullable Thread polling; // set while it waits for messages and may be interrupted

  @GuardedBy("this")
  private boolean woken; // whether an interrupt is the reactor's, not the thread owner's

  private volatile @Nullable RunningBatch<M> running; // written by its thread only
  private volatile @Nullable Thread thread; // written by its thread only
  private volatile boolean retired;
  private long errorPauseNanos; // confined to its thread; the executor publishes it to the next one

  /** A batch that a worker is processing, and when it began. */
  static final class RunningBatch<M> {
    private final List<Delivery<M>> batch;
    private final long startedNanos;

    RunningBatch(List<Delivery<M>> batch, long startedNanos) {
      this.batch = batch;
      this.startedNanos = startedNanos;
    }

    List<Delivery<M>> batch() {
      return batch;
    }

    long startedNanos() {
      return startedNanos;
    }
  }

  /**
   * Creates a worker that does not run yet.
   *
   * @param number appears in the name of its thread
   * @param isBorrowed whether it runs on a thread of the user's, who may interrupt that thread
   */
  Worker(
      ReactorRuntime<M> runtime,
      Chain<M> chain,
      WorkerGroup<M> group,
      int number,
      boolean isBorrowed) {
    this.number = number;
    this.isBorrowed = isBorrowed;
    this.runtime = runtime;
    this.chain = chain;
    this.gate = runtime.gate();
    this.group = group;
    this.idleWait = new IdleWait<>(this, runtime, group);
  }

  int number() {
    return number;
  }

  boolean isBorrowed() {
    return isBorrowed;
  }

  @Override
  public void run() {
    boolean again = true;
    while (again) {
      Throwable end = processUntilIdle();
      if (end == null && !retired && !gate.isStopped()) {
        again =
            idleWait.begin(isInterruptedByOwner() ? PAUSE_AFTER_INTERRUPT_NANOS : errorPauseNanos);
      } else {
        group.workerEnded(this, end);
        again = false;
      }
    }
  }

  /**
   * Processes batches as long as there are messages; returns the error that ends the worker, null
   * if there was none.
   */
  private @Nullable Throwable processUntilIdle() {
    thread = Thread.currentThread();
    try {
      List<Delivery<M>> arrived = idleWait.takeArrived();
      if (!arrived.isEmpty()) {
        errorPauseNanos = 0;
      }
      Throwable end = process(arrived);
      while (end == null && !retired && !isInterruptedByOwner() && mayTakeMessages()) {
        List<Delivery<M>> batch = poll(isBorrowed ? Duration.ZERO : WorkerGroup.LINGER);
        if (batch.isEmpty()) {
          break;
        }
        end = process(batch);
      }
      return end;
    } catch (Throwable e) { // without a replacement, the reactor would have one worker less
      return e;
    } finally {
      thread = null;
    }
  }

  private boolean mayTakeMessages() {
    return gate.state() == PauseGate.State.OPEN && gate.remainingHoldNanos() == 0;
  }

  private boolean isInterruptedByOwner() {
    return isBorrowed && Thread.currentThread().isInterrupted();
  }

  /** Takes one batch and processes it; returns the number of its messages. */
  int processOnce(Duration timeout) {
    thread = Thread.currentThread();
    try {
      gate.await(Math.min(timeout.toNanos(), gate.remainingHoldNanos()));
      List<Delivery<M>> batch = gate.remainingHoldNanos() > 0 ? List.of() : poll(timeout);
      gate.await(errorPauseNanos);
      Error error = process(batch);
      if (error != null) {
        throw error;
      }
      return batch.size();
    } finally {
      thread = null;
      group.workerEnded(this, null);
    }
  }

  private List<Delivery<M>> poll(Duration timeout) {
    synchronized (this) {
      if (gate.state() != PauseGate.State.OPEN) {
        return List.of();
      }
      polling = Thread.currentThread();
    }
    boolean interrupted = false;
    try {
      List<Delivery<M>> batch = runtime.subscriber().batch(runtime.batchSize(), timeout);
      errorPauseNanos = 0;
      return batch;
    } catch (InterruptedException e) {
      interrupted = true;
      return List.of();
    } catch (QueueClosedException e) {
      gate.setState(PauseGate.State.STOPPED);
      return List.of();
    } catch (RuntimeException | Error e) {
      subscriberFailed(e);
      return List.of();
    } finally {
      clearInterrupt(interrupted);
    }
  }

  /** Clears an interrupt by the reactor, also a late one, and keeps one by the thread's owner. */
  private synchronized void clearInterrupt(boolean interrupted) {
    polling = null;
    boolean left = Thread.interrupted() || interrupted;
    if (left && !woken && isBorrowed) {
      Thread.currentThread().interrupt();
    }
    woken = false;
  }

  /**
   * Notes that the subscriber failed, and logs the first of several failures in a row.
   *
   * @return the nanoseconds to wait before the next try, which double with each failure
   */
  long subscriberFailed(Throwable e) {
    if (errorPauseNanos == 0) {
      LOG.error(
          "Subscriber {} returned an error instead of messages; trying again",
          runtime.subscriber().name(),
          e);
    }
    errorPauseNanos =
        Math.max(FIRST_ERROR_PAUSE_NANOS, Math.min(LONGEST_ERROR_PAUSE_NANOS, errorPauseNanos * 2));
    return errorPauseNanos;
  }

  /** Processes a batch; returns the error that its thread must not outlive, null if none. */
  private @Nullable Error process(List<Delivery<M>> batch) {
    if (batch.isEmpty()) {
      return null;
    }
    ResultHandler<M> handler = runtime.newResultHandler();
    running = new RunningBatch<>(batch, runtime.time().nanoTime());
    try {
      chain.runToEnd(batch, handler);
    } finally {
      if (batch.get(0) instanceof SourceDelivery<M> ofSource) {
        ofSource.processed();
      }
      running = null;
      clearInterrupt(Thread.interrupted());
    }
    return handler.error();
  }

  /** Runs work for a batch on the calling thread, which no worker uses. */
  void runOnCallingThread(List<Delivery<M>> batch, Runnable work) {
    thread = Thread.currentThread();
    running = new RunningBatch<>(batch, runtime.time().nanoTime());
    try {
      work.run();
    } finally {
      running = null;
      clearInterrupt(Thread.interrupted());
      thread = null;
      group.workerEnded(this, null);
    }
  }

  /** Returns the batch that is being processed; null between batches. */
  @Nullable RunningBatch<M> currentBatch() {
    return running;
  }

  /** Returns the thread that runs the worker; null while it is idle. */
  @Nullable Thread thread() {
    return thread;
  }

  /** Makes the worker end after its batch, because a substitute has taken its place. */
  void retire() {
    retired = true;
  }

  boolean isRetired() {
    return retired;
  }

  /** Makes the worker check the gate, if it is idle. */
  void checkGate() {
    idleWait.checkGate();
  }

  /** Starts the worker after a time, without a thread until then. */
  void startAfter(long nanos) {
    idleWait.begin(nanos);
  }

  /** Makes the worker try again later, because no thread is available. */
  void retryWithoutThread(Throwable why) {
    idleWait.threadUnavailable(why);
  }

  /** Makes the worker check the gate, if it waits for messages. */
  void wake() {
    synchronized (this) {
      if (polling != null) {
        woken = true;
        polling.interrupt();
      }
    }
    idleWait.checkGate();
  }

  /** Interrupts the worker if it processes a batch. */
  synchronized void interrupt() {
    Thread busy = thread;
    if (running != null && busy != null) {
      woken = true;
      busy.interrupt();
    }
  }

  /**
   * Returns the messages of a batch that does not end to the subscriber, which delivers them again.
   */
  void returnBatch() {
    RunningBatch<M> unfinished = running;
    if (unfinished != null) {
      unfinished.batch().forEach(delivery -> returnToSubscriber(delivery, true));
    }
    idleWait.takeArrived().forEach(delivery -> returnToSubscriber(delivery, false));
  }

  /** Returns a message to the subscriber; the attempt counts if its processing has begun. */
  static void returnToSubscriber(Delivery<?> delivery, boolean begun) {
    try {
      if (begun) {
        delivery.nack(Duration.ZERO);
      } else {
        delivery.release();
      }
    } catch (StaleReceiptException | QueueClosedException e) {
      LOG.debug("Sequence {} was completed meanwhile", delivery.sequence());
    } catch (RuntimeException e) { // the other messages are returned nevertheless
      LOG.error("Cannot return sequence {} to its subscriber", delivery.sequence(), e);
    }
  }
}
