package com.wookler.river.rest.server.hosting;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.core.message.QueueFullException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs the publishes that may wait for capacity in a full queue, on threads that may block, and
 * ends those whose keys do not allow them any more. Thread-safe.
 */
public final class WaitingPublishes {
  private final Set<Publish<?>> open = ConcurrentHashMap.newKeySet();
  private final Threads threads;

  /** Threads that may block. */
  @FunctionalInterface
  public interface Threads {
    /** Runs a task. The future fails if the task cannot be run. */
    CompletionStage<?> run(Runnable task);
  }

  /**
   * Creates a registry without publishes.
   *
   * @param threads on which publishers wait
   */
  public WaitingPublishes(Threads threads) {
    this.threads = threads;
  }

  /**
   * Runs a publish to a queue on one of the threads. The future fails with the access's refusal if
   * the publish was ended before anything was stored.
   */
  public <T> CompletableFuture<T> run(
      Access access, String queue, Supplier<CompletableFuture<T>> work) {
    Publish<T> publish = new Publish<>(access, queue);
    open.add(publish);
    var unused = publish.answer.whenComplete((answer, failed) -> open.remove(publish));
    publish.endIfForbidden(); // the key may have changed before the publish was registered
    var unusedRun =
        threads
            .run(() -> publish.run(work))
            .whenComplete(
                (done, failed) -> {
                  if (failed != null) {
                    publish.answer.completeExceptionally(failed);
                  }
                });
    return publish.answer;
  }

  /**
   * Ends the publishes whose keys do not allow them any more. They are answered with that error.
   */
  public void endUnauthorized() {
    open.forEach(Publish::endIfForbidden);
  }

  /** A publish that waits for a thread, or for capacity. */
  private static final class Publish<T> {
    private final Access access;
    private final String queue;
    private final CompletableFuture<T> answer = new CompletableFuture<>();

    /** Held while the thread is interrupted, so that no interrupt reaches its next work. */
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private boolean begun;

    /** The thread that may wait for capacity now. */
    @GuardedBy("lock")
    private @Nullable Thread runner;

    /** Why the publish was ended. */
    @GuardedBy("lock")
    private @Nullable RequestException denial;

    Publish(Access access, String queue) {
      this.access = access;
      this.queue = queue;
    }

    void run(Supplier<CompletableFuture<T>> work) {
      if (!begin()) {
        return;
      }
      CompletableFuture<T> stored;
      try {
        stored = work.get();
      } catch (RuntimeException | Error e) {
        stored = CompletableFuture.failedFuture(e);
      }
      RequestException why = finish();
      var unused = stored.whenComplete((result, failed) -> complete(result, failed, why));
    }

    /** Starts the publish, and returns false if it was ended before. */
    private boolean begin() {
      lock.lock();
      try {
        begun = true;
        runner = Thread.currentThread();
        return denial == null;
      } finally {
        lock.unlock();
      }
    }

    /** Ends the time in which the thread may be interrupted; returns why it was, or null. */
    private @Nullable RequestException finish() {
      lock.lock();
      try {
        runner = null;
        if (denial != null) {
          var unused = Thread.interrupted(); // it was meant for this publish only
        }
        return denial;
      } finally {
        lock.unlock();
      }
    }

    private void complete(
        @Nullable T result, @Nullable Throwable failed, @Nullable RequestException why) {
      if (result != null) {
        answer.complete(result);
      } else if (failed != null) {
        boolean gaveUp =
            why != null && RequestException.causeOf(failed) instanceof QueueFullException;
        answer.completeExceptionally(gaveUp ? why : failed);
      }
    }

    /**
     * Interrupts the wait for capacity. A publish that no thread has started is answered at once.
     */
    void endIfForbidden() {
      RequestException why = access.denial(Right.PUBLISH, queue);
      if (why == null) {
        return;
      }
      boolean queued;
      lock.lock();
      try {
        queued = !begun;
        denial = why;
        if (runner != null) {
          runner.interrupt();
        }
      } finally {
        lock.unlock();
      }
      if (queued) {
        answer.completeExceptionally(why);
      }
    }
  }
}
