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
  private final Spares spares = Spares.acquire();
  private final @Nullable ClassLoader loader = Thread.currentThread().getContextClassLoader();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition ended = lock.newCondition();

  @GuardedBy("lock")
  private final List<Worker<M>> workers = new ArrayList<>();

  /** Threads of workers that end the reactor from within a processor. */
  @GuardedBy("lock")
  private final Set<Thread> closers = new HashSet<>();

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

  /**
   * Adds a worker, unless the reactor has stopped. One for which there is no thread at the moment,
   * because the executor or the memory is full, asks again a second later.
   *
   * @throws RuntimeException the executor was shut down, or cannot be used
   */
  void hire() {
    Worker<M> worker = add(executor != null);
    if (worker == null) {
      return;
    }
    try {
      begin(() -> execute(worker));
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      if (isShutDown()) {
        remove(worker);
        throw e;
      }
      worker.restAgain(e);
    } catch (RuntimeException | Error e) {
      remove(worker);
      throw e;
    }
  }

  /** On a thread that may run processors inline, if any may: the caller's is the application's. */
  private void begin(Runnable first) {
    if (executor instanceof InlineExecutor) {
      InlineExecutor.elsewhere(first);
    } else {
      first.run();
    }
  }

  private void execute(Worker<M> worker) {
    if (executor == null) {
      String name = "REACTOR-" + plan.subscriber().name() + "-" + worker.number();
      spares.run(
          name,
          () -> {
            Thread.currentThread().setContextClassLoader(loader); // as where it was started
            worker.run();
          });
    } else {
      executor.execute(worker);
    }
  }

  /** Whether starting a worker is a matter of microseconds, and runs nothing else. */
  boolean hasOwnThreads() {
    return executor == null;
  }

  /** Behind the last worker. */
  void close() {
    spares.release();
  }

  /** Has one run that has rested. Called by any thread. */
  void start(Worker<M> worker) {
    try {
      execute(worker);
    } catch (RuntimeException | Error e) { // it is full, or there is no memory for a thread
      if (isShutDown()) {
        LOG.error(
            "The executor of subscriber {} takes no more tasks: a consumer less",
            plan.subscriber().name(),
            e);
        worker.abandon();
        remove(worker);
      } else {
        worker.restAgain(e);
      }
    }
  }

  private boolean isShutDown() {
    return executor instanceof ExecutorService service && service.isShutdown();
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
    if (executor == null && !plan.oneAtATime() && !stuck.isGuest()) {
      hire();
      stuck.dismiss();
    }
  }

  /**
   * A worker has ended; something that was thrown ends its thread, and another takes its place.
   * That one begins with a rest: errors may go on, and it needs no thread at once, which there may
   * not be.
   */
  void ended(Worker<M> worker, @Nullable Throwable thrown) {
    if (thrown != null) {
      LOG.error(
          "A thread of subscriber {} ends by an error, and is replaced",
          plan.subscriber().name(),
          thrown);
      plan.tally().replaced.increment();
      Worker<M> next = add(executor != null);
      if (next != null) {
        next.restFor(HOLD_NANOS);
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
    begin(() -> workers().forEach(Worker::resume));
  }

  /** Interrupts those that are processing. */
  void abort() {
    workers().forEach(Worker::abort);
  }

  /** Gives up what does not end by that. */
  void abandon() {
    workers().forEach(Worker::abandon);
  }

  /** Whether the calling thread is one of its workers: a processor calls. */
  boolean isWithin() {
    return workers().stream().anyMatch(worker -> worker.thread() == Thread.currentThread());
  }

  /**
   * Waits for all to end; if one of them calls, not for that one and others that do the same, which
   * would wait for each other.
   *
   * @return whether they have
   */
  boolean awaitEnd(Duration timeout) {
    boolean interrupted = false;
    boolean within = isWithin();
    long left = timeout.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : timeout.toNanos();
    lock.lock();
    try {
      if (within && closers.add(Thread.currentThread())) {
        ended.signalAll();
      }
      while (!areEnded(within) && left > 0) {
        try {
          left = ended.awaitNanos(left);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      return areEnded(within);
    } finally {
      lock.unlock();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @GuardedBy("lock")
  private boolean areEnded(boolean within) {
    for (Worker<M> worker : workers) {
      Thread thread = worker.thread();
      if (!within || thread == null || !closers.contains(thread)) {
        return false;
      }
    }
    return true;
  }
}
