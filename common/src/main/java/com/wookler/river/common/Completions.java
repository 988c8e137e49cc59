package com.wookler.river.common;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Completes futures one after the other on the common pool: completing runs the user's dependent
 * actions, which may be slow and must delay neither a force nor another system's thread.
 * Thread-safe.
 */
public final class Completions {
  private static final Logger LOG = LoggerFactory.getLogger(Completions.class);
  private static final Executor EXECUTOR = new CompletableFuture<Void>().defaultExecutor();

  private final Executor executor;
  private final Queue<Runnable> due = new ConcurrentLinkedQueue<>();
  private final AtomicInteger count = new AtomicInteger(); // of those due; above 0, one thread runs
  private final AtomicBoolean running = new AtomicBoolean();

  /** Creates one that completes on the common pool. */
  public Completions() {
    this(EXECUTOR);
  }

  Completions(Executor executor) {
    this.executor = executor;
  }

  /** Has a completion run after those that were added before. */
  public void add(Runnable completion) {
    due.add(completion);
    if (count.getAndIncrement() == 0) {
      try {
        executor.execute(this::run);
      } catch (RejectedExecutionException | OutOfMemoryError e) { // no thread: here, not never
        run();
      }
    }
  }

  /** May be run twice: an executor can have taken what it refused with no memory for a thread. */
  private void run() {
    while (count.get() > 0 && running.compareAndSet(false, true)) {
      try {
        completeAll();
      } finally {
        running.set(false);
      }
    }
  }

  private void completeAll() {
    while (count.get() > 0) {
      Runnable next = due.remove(); // is there: it is counted after it was added
      try {
        next.run();
      } catch (Throwable e) { // such as no memory; later ones are completed all the same
        LOG.error("Cannot complete a publish", e);
      } finally {
        count.decrementAndGet();
      }
    }
  }
}
