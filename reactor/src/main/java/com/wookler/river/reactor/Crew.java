package com.wookler.river.reactor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.MonitoredThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
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

  private final Plan<M> plan;
  private final Gate gate;
  private final Executor executor;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition ended = lock.newCondition();

  @GuardedBy("lock")
  private final List<Worker<M>> workers = new ArrayList<>();

  /**
   * No workers yet.
   *
   * @param executor where each runs until it ends; null: a thread of its own
   */
  Crew(Plan<M> plan, Gate gate, @Nullable Executor executor) {
    this.plan = plan;
    this.gate = gate;
    this.executor = executor == null ? new Threads(plan.subscriber().name()) : executor;
  }

  /** A thread a worker, numbered. */
  private static final class Threads implements Executor {
    private final String name;

    @GuardedBy("this")
    private int number;

    Threads(String subscriber) {
      this.name = "REACTOR-" + subscriber;
    }

    @Override
    public synchronized void execute(Runnable worker) {
      number++;
      new MonitoredThread(name + "-" + number, worker).start();
    }
  }

  /** Adds a worker, unless the reactor has stopped. */
  void hire() {
    Worker<M> worker = new Worker<>(plan, gate, this);
    lock.lock();
    try {
      if (gate.isStopped()) {
        return;
      }
      workers.add(worker);
    } finally {
      lock.unlock();
    }
    try {
      executor.execute(worker);
    } catch (RuntimeException | Error e) {
      remove(worker);
      throw e;
    }
  }

  /** Puts another in the place of one that is stuck; that one goes when it is done. */
  void substitute(Worker<M> stuck) {
    stuck.dismiss();
    hire();
  }

  /** A worker has ended; its thread ends too if an error was the reason. */
  void ended(Worker<M> worker, @Nullable Error error) {
    if (error != null) {
      LOG.error(
          "A processor of subscriber {} threw an error; its thread is replaced",
          plan.subscriber().name(),
          error);
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

  /** Interrupts all, and gives their messages back. */
  void abort() {
    workers().forEach(Worker::abort);
  }

  /**
   * Waits for all to end; not for the one whose thread calls, which would wait for itself.
   *
   * @return whether they have
   */
  boolean awaitEnd(Duration timeout) {
    boolean interrupted = false;
    long left = timeout.toNanos();
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
