package com.wookler.river.rest.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Collects items into batches: one request carries the items that were added while the previous one
 * was in flight, or within the linger time. One batch is in flight at a time, so that the order is
 * kept. A batch that fails because of its size, or of one of its items, is sent again in halves;
 * after a failure because of its size, batches stay that small until a number of them succeeded.
 * Thread-safe.
 *
 * @param <T> type of the items
 * @param <R> type of the result of an item
 */
final class Batcher<T, R> {
  private static final int GROW_AFTER =
      16; // after this many successful batches the next ones are twice as large

  private final Transport transport;
  private final Limits limits;
  private final BatchSender<T, R> sender;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition capacity = lock.newCondition();
  private final Condition progress = lock.newCondition(); // of unfinished

  @GuardedBy("lock")
  private final Deque<Pending<T, R>> waiting = new ArrayDeque<>();

  @GuardedBy("lock") // the one in flight, and those whose actions run: each has a thread
  private final Set<Unfinished> unfinished = new HashSet<>();

  @GuardedBy("lock")
  private long waitingBytes;

  @GuardedBy("lock")
  private long pendingBytes; // waiting and in flight

  @GuardedBy("lock")
  private boolean sending;

  @GuardedBy("lock")
  private boolean lingering;

  @GuardedBy("lock")
  private long accepted;

  @GuardedBy("lock")
  private long sendUpTo; // items up to this number are sent without lingering

  @GuardedBy("lock")
  private int knownLimit; // the largest number of items that the server is known to take

  @GuardedBy("lock")
  private int nextLimit; // of the next batch, at most knownLimit

  @GuardedBy("lock")
  private int successesInARow; // of batches

  @GuardedBy("lock")
  private boolean closed;

  /** Limits a batch, and the items that are pending. */
  record Limits(int maxItems, long maxBytes, Duration linger, long maxPendingBytes) {}

  /** Says what happens to a batch of several items that failed. */
  enum SplitMode {
    /** All its items fail. */
    FAIL,
    /** Its halves are sent: one item is wrong, and should fail alone. */
    SPLIT_ONCE,
    /** Its halves are sent, and later batches are no larger: it was too large. */
    SPLIT_AND_SHRINK
  }

  /** Sends batches, one at a time. */
  interface BatchSender<T, R> {
    /** Sends a batch. The results are in the order of its items. */
    CompletableFuture<List<R>> send(List<T> batch);

    /** Decides what happens to a batch of several items that failed. */
    SplitMode onFailure(List<T> batch, Throwable failure);
  }

  /** An item that has no result yet. */
  private record Pending<T, R>(T item, long bytes, long number, CompletableFuture<R> result) {}

  /** The items of a batch, by number, and what is kept of it until their actions have run. */
  private record Batch<T, R>(List<Pending<T, R>> items, Unfinished unfinished) {
    int size() {
      return items.size();
    }

    long bytes() {
      return items.stream().mapToLong(Pending::bytes).sum();
    }
  }

  /** What is kept of a batch while actions run: no item, as an action may block. */
  private static final class Unfinished {
    /** The number of the first item that has no result, or whose actions run. By the lock. */
    private long next;

    Unfinished(long first) {
      next = first;
    }
  }

  Batcher(Transport transport, Limits limits, BatchSender<T, R> sender) {
    this.transport = transport;
    this.limits = limits;
    this.sender = sender;
    this.knownLimit = limits.maxItems();
    this.nextLimit = limits.maxItems();
  }

  /**
   * Adds an item, and waits while too much is pending.
   *
   * @throws CallInterruptedException the thread was interrupted while it waited; the item was not
   *     added
   * @throws ClientClosedException the batcher or the client is closed; the item was not added
   */
  CompletableFuture<R> add(T item, long bytes) {
    CompletableFuture<R> result = new CompletableFuture<>();
    lock.lock();
    try {
      awaitCapacity(bytes);
      waiting.add(new Pending<>(item, bytes, ++accepted, result));
      waitingBytes += bytes;
      pendingBytes += bytes;
    } finally {
      lock.unlock();
    }
    sendIfDue();
    return result;
  }

  @GuardedBy("lock")
  private void awaitCapacity(long bytes) {
    try {
      while (!closed && pendingBytes > 0 && pendingBytes + bytes > limits.maxPendingBytes()) {
        capacity.await();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CallInterruptedException(
          "interrupted while waiting for pending items to be sent", e);
    }
    if (transport.isClosed()) { // else it failed here, and an action that adds it again recursed
      throw Transport.closedNow();
    }
    if (closed) {
      throw new ClientClosedException("the batcher is closed and accepts no more items", null);
    }
  }

  /**
   * Sends a batch if one is due and none is in flight. Once the client is closed, all that wait
   * fail at once: batch by batch, each would fail within the call that failed the one before.
   */
  private void sendIfDue() {
    Batch<T, R> batch;
    boolean clientClosed = transport.isClosed();
    lock.lock();
    try {
      if (sending || waiting.isEmpty()) {
        return;
      }
      if (clientClosed) {
        batch = takeAll();
      } else if (isDue()) {
        batch = take();
        sending = true;
      } else {
        linger();
        return;
      }
    } finally {
      lock.unlock();
    }
    if (clientClosed) {
      complete(batch, null, Transport.closedNow());
    } else {
      send(batch);
    }
  }

  @GuardedBy("lock")
  private boolean isDue() {
    return limits.linger().isZero()
        || waiting.size() >= nextLimit
        || waitingBytes >= limits.maxBytes()
        || pendingBytes >= limits.maxPendingBytes() / 2
        || waiting.getFirst().number() <= sendUpTo;
  }

  @GuardedBy("lock")
  private void linger() {
    if (lingering) {
      return;
    }
    lingering = true;
    long upTo = accepted;
    var unused =
        transport.after(limits.linger()).whenComplete((over, closedMeanwhile) -> lingered(upTo));
  }

  private void lingered(long upTo) {
    lock.lock();
    try {
      lingering = false;
      sendUpTo = Math.max(sendUpTo, upTo);
    } finally {
      lock.unlock();
    }
    sendIfDue();
  }

  @GuardedBy("lock")
  private Batch<T, R> take() {
    List<Pending<T, R>> batch = new ArrayList<>();
    long bytes = 0;
    while (!waiting.isEmpty() && batch.size() < nextLimit) {
      Pending<T, R> next = waiting.getFirst();
      if (!batch.isEmpty() && bytes + next.bytes() > limits.maxBytes()) {
        break;
      }
      batch.add(waiting.removeFirst());
      bytes += next.bytes();
    }
    waitingBytes -= bytes;
    return unfinished(batch);
  }

  @GuardedBy("lock")
  private Batch<T, R> takeAll() {
    List<Pending<T, R>> all = new ArrayList<>(waiting);
    waiting.clear();
    pendingBytes -= waitingBytes;
    waitingBytes = 0;
    capacity.signalAll();
    return unfinished(all);
  }

  @GuardedBy("lock")
  private Batch<T, R> unfinished(List<Pending<T, R>> items) {
    Unfinished entry = new Unfinished(items.get(0).number());
    unfinished.add(entry);
    return new Batch<>(items, entry);
  }

  private void send(Batch<T, R> batch) {
    CompletableFuture<List<R>> sent;
    try {
      sent = sender.send(items(batch));
    } catch (RuntimeException e) {
      sent = CompletableFuture.failedFuture(e);
    }
    var unused =
        sent.whenCompleteAsync((results, failure) -> done(batch, results, failure), this::execute);
  }

  private List<T> items(Batch<T, R> batch) {
    return batch.items().stream().map(Pending::item).toList();
  }

  /** Runs a task on a thread of the client, or on the calling thread once the client is closed. */
  private void execute(Runnable task) {
    try {
      if (!transport.isClosed()) {
        transport.threads().execute(task);
        return;
      }
    } catch (RejectedExecutionException e) {
      // it was closed meanwhile
    }
    task.run();
  }

  private void done(Batch<T, R> batch, @Nullable List<R> results, @Nullable Throwable failure) {
    Throwable cause = failure == null ? null : RetryHandler.cause(failure);
    SplitMode split =
        cause == null || batch.size() == 1 ? SplitMode.FAIL : sender.onFailure(items(batch), cause);
    lock.lock();
    try {
      sending = false;
      if (split == SplitMode.FAIL) {
        pendingBytes -= batch.bytes();
        capacity.signalAll();
        grow(cause == null);
      } else {
        putBack(batch);
        successesInARow = 0;
        nextLimit = batch.size() / 2;
        knownLimit = split == SplitMode.SPLIT_AND_SHRINK ? nextLimit : knownLimit;
      }
      sendUpTo = Math.max(sendUpTo, waiting.isEmpty() ? 0 : accepted);
    } finally {
      lock.unlock();
    }
    if (split == SplitMode.FAIL) {
      complete(batch, results, cause);
    }
    sendIfDue();
  }

  @GuardedBy("lock")
  private void grow(boolean success) {
    if (!success) {
      knownLimit = limits.maxItems(); // it did not fail because of its size
      successesInARow = 0;
    } else if (++successesInARow >= GROW_AFTER) {
      knownLimit = (int) Math.min(limits.maxItems(), 2L * knownLimit);
      successesInARow = 0;
    }
    nextLimit = knownLimit;
  }

  private void complete(Batch<T, R> batch, @Nullable List<R> results, @Nullable Throwable cause) {
    List<CompletableFuture<R>> futures = batch.items().stream().map(Pending::result).toList();
    batch.items().clear(); // callers have the batch on their stack while the actions run
    Set<Thread> completing = transport.completing();
    boolean outer = completing.add(Thread.currentThread());
    try {
      completeAll(futures, batch.unfinished(), results, cause);
    } finally {
      if (outer) {
        completing.remove(Thread.currentThread());
      }
      finished(batch.unfinished());
    }
  }

  private void completeAll(
      List<CompletableFuture<R>> futures,
      Unfinished batch,
      @Nullable List<R> results,
      @Nullable Throwable cause) {
    for (int i = 0; i < futures.size(); i++) {
      if (results != null && cause == null) {
        futures.get(i).complete(results.get(i));
      } else {
        futures.get(i).completeExceptionally(cause == null ? Transport.closedNow() : cause);
      }
      lock.lock();
      try {
        batch.next++;
        progress.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  private void finished(Unfinished batch) {
    lock.lock();
    try {
      unfinished.remove(batch);
      progress.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void putBack(Batch<T, R> batch) {
    unfinished.remove(batch.unfinished());
    for (int i = batch.size() - 1; i >= 0; i--) {
      waiting.addFirst(batch.items().get(i));
    }
    waitingBytes += batch.bytes();
  }

  /**
   * Sends the waiting items without lingering, and waits until all items that were added before
   * have a result, and the actions attached to it have run; where such an action calls it, it does
   * not wait.
   *
   * @throws CallInterruptedException the thread was interrupted while it waited
   */
  void flush() {
    long upTo;
    lock.lock();
    try {
      upTo = accepted;
      sendUpTo = accepted;
    } finally {
      lock.unlock();
    }
    sendIfDue();
    if (!transport.completing().contains(Thread.currentThread())) {
      awaitActions(upTo);
    }
  }

  private void awaitActions(long upTo) {
    lock.lock();
    try {
      while (isUnfinished(upTo)) {
        progress.await();
      }
    } catch (InterruptedException e) {
      throw Transport.interrupted(e);
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether items up to a number have no result, or their actions run. */
  @GuardedBy("lock")
  private boolean isUnfinished(long upTo) {
    return (!waiting.isEmpty() && waiting.getFirst().number() <= upTo)
        || unfinished.stream().anyMatch(batch -> batch.next <= upTo);
  }

  /** Accepts no more items. */
  void close() {
    lock.lock();
    try {
      closed = true;
      capacity.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
