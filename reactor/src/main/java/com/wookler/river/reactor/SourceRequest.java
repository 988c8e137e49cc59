package com.wookler.river.reactor;

import com.wookler.river.core.subscriber.Delivery;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A worker's request for a batch of a source. It is either cancelled or claimed, so that no message
 * is taken from a source for a request that does not exist any more. Thread-safe.
 *
 * @param <M> type of the data
 */
final class SourceRequest<M> extends CompletableFuture<List<Delivery<M>>> {
  private final AtomicBoolean decided = new AtomicBoolean();
  private final Queue<SourceRequest<M>> waiting;
  private final Executor completer;

  /**
   * Creates a request.
   *
   * @param waiting from which it is removed when it is cancelled
   * @param completer runs what is attached to it
   */
  SourceRequest(Queue<SourceRequest<M>> waiting, Executor completer) {
    this.waiting = waiting;
    this.completer = completer;
  }

  /**
   * Returns whether the caller is to complete it, soon; false if it was cancelled or has failed.
   */
  boolean claim() {
    return !isDone() && decided.compareAndSet(false, true);
  }

  /** Completes what was claimed, by its executor: what is attached may process the batch there. */
  void deliver(List<Delivery<M>> batch) {
    try {
      completer.execute(() -> complete(batch));
    } catch (RuntimeException | Error e) { // no thread, perhaps
      completeExceptionally(e);
      throw e;
    }
  }

  @Override
  public boolean cancel(boolean mayInterrupt) {
    if (!decided.compareAndSet(false, true)) {
      return isCancelled();
    }
    waiting.remove(this);
    return super.cancel(mayInterrupt);
  }
}
