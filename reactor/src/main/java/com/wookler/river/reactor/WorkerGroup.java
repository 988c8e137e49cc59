package com.wookler.river.reactor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the workers of a reactor. A worker that an {@code Error} has ended is replaced; one that is
 * stuck gets a substitute. Thread-safe.
 */
final class WorkerGroup<M> {
  private static final Logger LOG = LoggerFactory.getLogger(WorkerGroup.class);

  /** The time for which a thread waits for messages before it ends. */
  static final Duration LINGER = Duration.ofSeconds(1);

  private static final Duration LONGEST_CLOSE = Duration.ofDays(365);
  private static final long REPLACEMENT_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final ReactorRuntime<M> runtime;
  private final Chain<M> chain;
  private final PauseGate gate;
  private final @Nullable Executor executor; // null: threads of its own
  private final StandbyThreads threads = StandbyThreads.acquire();
  private final @Nullable ClassLoader loader = Thread.currentThread().getContextClassLoader();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition ended = lock.newCondition();

  @GuardedBy("lock")
  private final List<Worker<M>> workers = new ArrayList<>();

  /** The threads of workers whose processors close the reactor. */
  @GuardedBy("lock")
  private final Set<Thread> closers = new HashSet<>();

  @GuardedBy("lock")
  private int started;

  /**
   * Creates a group without workers.
   *
   * @param executor runs each worker as long as there are messages; null: threads of the group's
   *     own
   */
  WorkerGroup(ReactorRuntime<M> runtime, Chain<M> chain, @Nullable Executor executor) {
    this.runtime = runtime;
    this.chain = chain;
    this.gate = runtime.gate();
    this.executor = executor;
  }

  /**
   * Adds a worker and starts it, unless the reactor has stopped. If no thread is available, because
   * the executor is full or memory is short, the worker tries again a second later.
   *
   * @throws RuntimeException the executor was shut down, or cannot be used
   */
  void startWorker() {
    Worker<M> worker = add(executor != null);
    if (worker == null) {
      return;
    }
    try {
      executeFirst(() -> execute(worker));
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      if (isShutDown()) {
        remove(worker);
        throw e;
      }
      worker.retryWithoutThread(e);
    } catch (RuntimeException | Error e) {
      remove(worker);
      throw e;
    }
  }

  /**
   * Runs a first step on the common pool if it may run processors inline: the caller's thread
   * belongs to the application.
   */
  private void executeFirst(Runnable first) {
    if (executor instanceof InlineExecutor) {
      InlineExecutor.executeInPool(first);
    } else {
      first.run();
    }
  }

  private void execute(Worker<M> worker) {
    if (executor == null) {
      String name = "REACTOR-" + runtime.subscriber().name() + "-" + worker.number();
      threads.run(
          name,
          () -> {
            Thread.currentThread().setContextClassLoader(loader); // that of the starting thread
            worker.run();
          });
    } else {
      executor.execute(worker);
    }
  }

  /** Returns whether a worker gets a thread of the group's own, at once. */
  boolean hasOwnThreads() {
    return executor == null;
  }

  /** Releases the standby threads, after the last worker has ended. */
  void close() {
    threads.release();
  }

  /** Runs a worker again that was idle. Any thread may call. */
  void resumeWorker(Worker<M> worker) {
    try {
      execute(worker);
    } catch (RuntimeException | Error e) { // the executor is full, or memory is short
      if (isShutDown()) {
        LOG.error(
            "The executor of subscriber {} was shut down; the reactor has one worker less",
            runtime.subscriber().name(),
            e);
        worker.returnBatch();
        remove(worker);
      } else {
        worker.retryWithoutThread(e);
      }
    }
  }

  private boolean isShutDown() {
    return executor instanceof ExecutorService service && service.isShutdown();
  }

  private @Nullable Worker<M> add(boolean isBorrowed) {
    lock.lock();
    try {
      if (gate.isStopped()) {
        return null;
      }
      started++;
      Worker<M> worker = new Worker<>(runtime, chain, this, started, isBorrowed);
      workers.add(worker);
      return worker;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Adds a worker that runs once, on a thread that is not the group's; returns null if the reactor
   * has stopped.
   */
  @Nullable Worker<M> addBorrowed() {
    return add(true);
  }

  /**
   * Starts a substitute for a worker that is stuck; the stuck one ends after its batch. Does
   * nothing if the workers run on an executor of the user's, or if messages are processed one at a
   * time.
   */
  void substitute(Worker<M> stuck) {
    if (executor == null && !runtime.oneAtATime() && !stuck.isBorrowed()) {
      startWorker();
      stuck.retire();
    }
  }

  /**
   * Removes a worker that has ended. If an exception has ended it, another worker replaces it. The
   * replacement starts after a delay, because the error may recur and no thread may be available.
   */
  void workerEnded(Worker<M> worker, @Nullable Throwable thrown) {
    if (thrown != null) {
      LOG.error(
          "An error ends a thread of subscriber {}; another one replaces it",
          runtime.subscriber().name(),
          thrown);
      runtime.counters().replaced.increment();
      Worker<M> next = add(executor != null);
      if (next != null) {
        next.startAfter(REPLACEMENT_DELAY_NANOS);
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

  /** Returns the present workers. */
  List<Worker<M>> workers() {
    lock.lock();
    try {
      return List.copyOf(workers);
    } finally {
      lock.unlock();
    }
  }

  /** Makes all workers that wait for messages check the gate. */
  void wake() {
    workers().forEach(Worker::wake);
  }

  /** Makes all idle workers check the gate. */
  void resume() {
    executeFirst(() -> workers().forEach(Worker::checkGate));
  }

  /** Interrupts the workers that process a batch. */
  void interrupt() {
    workers().forEach(Worker::interrupt);
  }

  /** Returns the batches of all workers to the subscriber. */
  void returnBatches() {
    workers().forEach(Worker::returnBatch);
  }

  /** Returns whether a worker runs on the calling thread: then a processor calls. */
  boolean isWorkerThread() {
    return workers().stream().anyMatch(worker -> worker.thread() == Thread.currentThread());
  }

  /**
   * Waits until all workers have ended. If a worker calls, it does not wait for itself, nor for
   * other workers that call, as they would wait for each other.
   *
   * @return whether they have ended in time
   */
  boolean awaitEnd(Duration timeout) {
    boolean interrupted = false;
    boolean byWorker = isWorkerThread();
    long left = timeout.compareTo(LONGEST_CLOSE) > 0 ? LONGEST_CLOSE.toNanos() : timeout.toNanos();
    lock.lock();
    try {
      if (byWorker && closers.add(Thread.currentThread())) {
        ended.signalAll();
      }
      while (!haveEnded(byWorker) && left > 0) {
        try {
          left = ended.awaitNanos(left);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      return haveEnded(byWorker);
    } finally {
      lock.unlock();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @GuardedBy("lock")
  private boolean haveEnded(boolean byWorker) {
    for (Worker<M> worker : workers) {
      Thread thread = worker.thread();
      if (!byWorker || thread == null || !closers.contains(thread)) {
        return false;
      }
    }
    return true;
  }
}
