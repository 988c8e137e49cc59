package com.wookler.river.rest.server;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.core.message.QueueFullException;
import io.vertx.core.WorkerExecutor;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs the publishes that may wait for room in a full queue, on threads that may block, and ends
 * those whose keys do not allow them any more. Thread-safe.
 */
final class WaitingPublishes {
  private final Set<Publish> open = ConcurrentHashMap.newKeySet();
  private final WorkerExecutor threads;

  /**
   * Creates a registry without publishes.
   *
   * @param threads on which publishers wait
   */
  WaitingPublishes(WorkerExecutor threads) {
    this.threads = threads;
  }

  /**
   * Runs a publish to a queue on one of the threads. The future fails with the access's refusal if
   * the publish was ended before anything was stored.
   */
  CompletableFuture<Answer> run(
      Access access, String queue, Supplier<CompletableFuture<Answer>> work) {
    Publish publish = new Publish(access, queue);
    open.add(publish);
    var unused = publish.answer.whenComplete((answer, failed) -> open.remove(publish));
    publish.endIfForbidden(); // the key may have changed before the publish was registered
    threads
        .<Boolean>executeBlocking(
            () -> {
              publish.run(work);
              return true;
            },
            false)
        .onFailure(publish.answer::completeExceptionally);
    return publish.answer;
  }

  /** Ends the publishes whose keys do not allow them any more; they are answered with that. */
  void endForbidden() {
    open.forEach(Publish::endIfForbidden);
  }

  /** A publish that waits for a thread, or on one for room. */
  private static final class Publish {
    private final Access access;
    private final String queue;
    private final CompletableFuture<Answer> answer = new CompletableFuture<>();

    /** Held while the thread is interrupted, so that no interrupt reaches its next work. */
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private boolean begun;

    /** The thread that may wait for room now. */
    @GuardedBy("lock")
    private @Nullable Thread runner;

    /** Why it was ended. */
    @GuardedBy("lock")
    private @Nullable Problem refusal;

    Publish(Access access, String queue) {
      this.access = access;
      this.queue = queue;
    }

    void run(Supplier<CompletableFuture<Answer>> work) {
      if (!begin()) {
        return;
      }
      CompletableFuture<Answer> stored;
      try {
        stored = work.get();
      } catch (RuntimeException | Error e) {
        stored = CompletableFuture.failedFuture(e);
      }
      Problem why = finish();
      var unused = stored.whenComplete((result, failed) -> complete(result, failed, why));
    }

    /** Returns whether the publish is to be run: it was not ended before. */
    private boolean begin() {
      lock.lock();
      try {
        begun = true;
        runner = Thread.currentThread();
        return refusal == null;
      } finally {
        lock.unlock();
      }
    }

    /** Ends the time in which the thread may be interrupted; returns why it was, or null. */
    private @Nullable Problem finish() {
      lock.lock();
      try {
        runner = null;
        if (refusal != null) {
          var unused = Thread.interrupted(); // it was meant for this publish alone
        }
        return refusal;
      } finally {
        lock.unlock();
      }
    }

    private void complete(
        @Nullable Answer result, @Nullable Throwable failed, @Nullable Problem why) {
      if (result != null) {
        answer.complete(result);
      } else if (failed != null) {
        boolean gaveUp = why != null && Problems.cause(failed) instanceof QueueFullException;
        answer.completeExceptionally(gaveUp ? why : failed);
      }
    }

    /** Interrupts the wait for room; a publish that no thread has begun is answered at once. */
    void endIfForbidden() {
      Problem why = access.refusal(Right.PUBLISH, queue);
      if (why == null) {
        return;
      }
      boolean queued;
      lock.lock();
      try {
        queued = !begun;
        refusal = why;
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
