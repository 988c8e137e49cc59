package com.wookler.river.reactor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.MonitoredThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The workers of a reactor: as many as were asked for, each replaced when an {@code Error} ended
 * it, and for each that is stuck a substitute. Thread-safe.
 */
final class Crew<M> {
  private static final Logger LOG = LoggerFactory.getLogger(Crew.class);

  /** For how long a thread waits for messages before it ends; the next one is started for some. */
  static final Duration LINGER = Duration.ofSeconds(1);

  private static final Duration LONGEST = Duration.ofDays(365);
  private static final long HOLD_NANOS = TimeUnit.MILLISECONDS.toNanos(10); // errors may go on

  private final Plan<M> plan;
  private final Gate gate;
  private final @Nullable Executor executor; // null: threads of its own
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition ended = lock.newCondition();

  @GuardedBy("lock")
  private final List<Worker<M>> workers = new ArrayList<>();

  @GuardedBy("lock")
  private int hired;

  /**
   * No workers yet.
   *
   * @param executor where each runs as long as it has something to do; null: a thread of its own
   */
  Crew(Plan<M> plan, @Nullable Executor executor) {
    this.plan = plan;
    this.gate = plan.gate();
    this.executor = executor;
  }

  /** Adds a worker, unless the reactor has stopped. */
  void hire() {
    Worker<M> worker = add(executor != null);
    if (worker == null) {
      return;
    }
    try {
      execute(worker);
    } catch (RuntimeException | Error e) {
      remove(worker);
      throw e;
    }
  }

  private void execute(Worker<M> worker) {
    if (executor == null) {
      String name = "REACTOR-" + plan.subscriber().name() + "-" + worker.number();
      new MonitoredThread(name, worker).start();
    } else {
      executor.execute(worker);
    }
  }

  /** Has one run that has rested. Called by any thread. */
  void start(Worker<M> worker) {
    try {
      execute(worker);
    } catch (RejectedExecutionException e) {
      LOG.error(
          "The executor of subscriber {} takes no more tasks: a consumer less",
          plan.subscriber().name(),
          e);
      worker.abandon();
      remove(worker);
    } catch (RuntimeException | Error e) { // no memory for a thread, perhaps
      worker.restAgain(e);
    }
  }

  private @Nullable Worker<M> add(boolean isGuest) {
    lock.lock();
    try {
      if (gate.isStopped()) {
        return null;
      }
      hired++;
      Worker<M> worker = new Worker<>(plan, this, hired, isGuest);
      workers.add(worker);
      return worker;
    } finally {
      lock.unlock();
    }
  }

  /** One that works once, on the calling thread; null if the reactor has stopped. */
  @Nullable Worker<M> guest() {
    return add(true);
  }

  /**
   * Puts another in the place of one that is stuck; that one goes when it is done. On an executor
   * of the user's there are as many as were asked for, and no more; so there are where messages are
   * processed one at a time.
   */
  void substitute(Worker<M> stuck) {
    if (executor == null && !plan.oneAtATime()) {
      hire();
      stuck.dismiss();
    }
  }

  /** A worker has ended; something that was thrown ends its thread, and another takes its place. */
  void ended(Worker<M> worker, @Nullable Throwable thrown) {
    if (thrown != null) {
      LOG.error(
          "A thread of subscriber {} ends by an error, and is replaced",
          plan.subscriber().name(),
          thrown);
      gate.await(HOLD_NANOS);
      plan.tally().replaced.increment();
      try {
        hire();
      } catch (RuntimeException | Error e) {
        LOG.error("Cannot replace a thread of subscriber {}", plan.subscriber().name(), e);
      }
    }
    remove(worker);
  }

  private void remove(Worker<M> worker) {
    lock.lock();
    try {
      workers.remove(worker);
      ended.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Those that there are now. */
  List<Worker<M>> workers() {
    lock.lock();
    try {
      return List.copyOf(workers);
    } finally {
      lock.unlock();
    }
  }

  /** Has those that wait for messages look at the gate. */
  void wake() {
    workers().forEach(Worker::wake);
  }

  /** Has those that rest look at the gate. */
  void resume() {
    workers().forEach(Worker::resume);
  }

  /** Interrupts those that are processing. */
  void abort() {
    workers().forEach(Worker::abort);
  }

  /** Gives up what does not end by that. */
  void abandon() {
    workers().forEach(Worker::abandon);
  }

  /**
   * Waits for all to end; not for the one whose thread calls, which would wait for itself.
   *
   * @return whether they have
   */
  boolean awaitEnd(Duration timeout) {
    boolean interrupted = false;
    long left = timeout.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : timeout.toNanos();
    lock.lock();
    try {
      while (!areOthersEnded() && left > 0) {
        try {
          left = ended.awaitNanos(left);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      return areOthersEnded();
    } finally {
      lock.unlock();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @GuardedBy("lock")
  private boolean areOthersEnded() {
    return workers.stream().allMatch(worker -> worker.thread() == Thread.currentThread());
  }
}
