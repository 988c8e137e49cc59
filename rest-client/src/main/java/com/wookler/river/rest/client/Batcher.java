package com.wookler.river.rest.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Collects items to batches: one request carries what came while the one before it was under way,
 * or within the linger time. One batch is under way at a time, so that the order is kept. A batch
 * that fails for its size, or for one of its items, is sent again in halves; after a failure for
 * its size, batches stay that small until a number of them went well. Thread-safe.
 *
 * @param <T> type of the items
 * @param <R> type of the result of an item
 */
final class Batcher<T, R> {
  private static final int WELL = 16; // so many batches, and the next ones are twice as large

  private final Transport transport;
  private final Limits limits;
  private final Work<T, R> work;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition room = lock.newCondition();

  @GuardedBy("lock")
  private final Deque<Pending<T, R>> waiting = new ArrayDeque<>();

  @GuardedBy("lock")
  private long waitingBytes;

  @GuardedBy("lock")
  private long pendingBytes; // waiting, and under way

  @GuardedBy("lock")
  private boolean underWay;

  @GuardedBy("lock")
  private boolean lingers;

  @GuardedBy("lock")
  private long accepted;

  @GuardedBy("lock")
  private long urgentUpTo; // these do not linger

  @GuardedBy("lock")
  private int fits; // so many items, as far as is known

  @GuardedBy("lock")
  private int most; // of the next batch, at most as many as fit

  @GuardedBy("lock")
  private int wentWell; // batches in a row

  @GuardedBy("lock")
  private @Nullable Pending<T, R> last;

  @GuardedBy("lock")
  private boolean closed;

  /** When a batch is sent, and how much may be pending. */
  record Limits(int maxItems, long maxBytes, Duration linger, long maxPendingBytes) {}

  /** What halves of a batch that failed are good for. */
  enum Halves {
    /** Nothing: its items have failed. */
    NONE,
    /** One item is wrong, which shall fail alone. */
    THIS_ONCE,
    /** It was too large, and so would be others. */
    FROM_NOW_ON
  }

  /** Sends batches, one after the other. */
  interface Work<T, R> {
    /** Sends a batch; the results are in its order. */
    CompletableFuture<List<R>> send(List<T> batch);

    /** Decides about a batch of several items that failed. */
    Halves halves(List<T> batch, Throwable failure);
  }

  /**
   * An item.
   *
   * @param noticed completes after {@code result}, and after all that depends on that
   */
  private record Pending<T, R>(
      T item,
      long bytes,
      long number,
      CompletableFuture<R> result,
      CompletableFuture<Boolean> noticed) {}

  Batcher(Transport transport, Limits limits, Work<T, R> work) {
    this.transport = transport;
    this.limits = limits;
    this.work = work;
    this.fits = limits.maxItems();
    this.most = limits.maxItems();
  }

  /**
   * Takes an item, waiting while there is no room.
   *
   * @throws CallInterruptedException interrupted while waiting for room; it was not taken
   * @throws ClientClosedException closed; it was not taken
   */
  CompletableFuture<R> add(T item, long bytes) {
    CompletableFuture<R> result = new CompletableFuture<>();
    lock.lock();
    try {
      awaitRoom(bytes);
      last = new Pending<>(item, bytes, ++accepted, result, new CompletableFuture<>());
      waiting.add(last);
      waitingBytes += bytes;
      pendingBytes += bytes;
    } finally {
      lock.unlock();
    }
    go();
    return result;
  }

  @GuardedBy("lock")
  private void awaitRoom(long bytes) {
    try {
      while (!closed && pendingBytes > 0 && pendingBytes + bytes > limits.maxPendingBytes()) {
        room.await();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CallInterruptedException("interrupted while waiting for room", e);
    }
    if (closed) {
      throw new ClientClosedException("it is closed, and takes no more", null);
    }
  }

  /** Sends a batch if there is reason to, and none is under way. */
  private void go() {
    List<Pending<T, R>> batch;
    lock.lock();
    try {
      if (underWay || waiting.isEmpty()) {
        return;
      }
      if (!isDue()) {
        linger();
        return;
      }
      batch = take();
      underWay = true;
    } finally {
      lock.unlock();
    }
    send(batch);
  }

  @GuardedBy("lock")
  private boolean isDue() {
    return limits.linger().isZero()
        || waiting.size() >= most
        || waitingBytes >= limits.maxBytes()
        || pendingBytes >= limits.maxPendingBytes() / 2
        || waiting.getFirst().number() <= urgentUpTo;
  }

  @GuardedBy("lock")
  private void linger() {
    if (lingers) {
      return;
    }
    lingers = true;
    long upTo = accepted;
    var unused = transport.after(limits.linger()).thenRun(() -> lingered(upTo));
  }

  private void lingered(long upTo) {
    lock.lock();
    try {
      lingers = false;
      urgentUpTo = Math.max(urgentUpTo, upTo);
    } finally {
      lock.unlock();
    }
    go();
  }

  @GuardedBy("lock")
  private List<Pending<T, R>> take() {
    List<Pending<T, R>> batch = new ArrayList<>();
    long bytes = 0;
    while (!waiting.isEmpty() && batch.size() < most) {
      Pending<T, R> next = waiting.getFirst();
      if (!batch.isEmpty() && bytes + next.bytes() > limits.maxBytes()) {
        break;
      }
      batch.add(waiting.removeFirst());
      bytes += next.bytes();
    }
    waitingBytes -= bytes;
    return batch;
  }

  private void send(List<Pending<T, R>> batch) {
    CompletableFuture<List<R>> sent;
    try {
      sent = work.send(items(batch));
    } catch (RuntimeException e) {
      sent = CompletableFuture.failedFuture(e);
    }
    var unused =
        sent.whenCompleteAsync((results, failure) -> done(batch, results, failure), this::execute);
  }

  private List<T> items(List<Pending<T, R>> batch) {
    return batch.stream().map(Pending::item).toList();
  }

  /** On a thread of the client; if that has none any more, here. */
  private void execute(Runnable task) {
    if (transport.isClosed()) {
      task.run();
    } else {
      transport.threads().execute(task);
    }
  }

  private void done(
      List<Pending<T, R>> batch, @Nullable List<R> results, @Nullable Throwable failure) {
    Throwable cause = failure == null ? null : Attempts.cause(failure);
    Halves halves =
        cause == null || batch.size() == 1 ? Halves.NONE : work.halves(items(batch), cause);
    lock.lock();
    try {
      underWay = false;
      if (halves == Halves.NONE) {
        pendingBytes -= batch.stream().mapToLong(Pending::bytes).sum();
        room.signalAll();
        grow(cause == null);
      } else {
        putBack(batch);
        wentWell = 0;
        most = batch.size() / 2;
        fits = halves == Halves.FROM_NOW_ON ? most : fits;
      }
      urgentUpTo = Math.max(urgentUpTo, waiting.isEmpty() ? 0 : accepted);
    } finally {
      lock.unlock();
    }
    if (halves == Halves.NONE) {
      complete(batch, results, cause);
    }
    go();
  }

  @GuardedBy("lock")
  private void grow(boolean well) {
    if (!well) {
      fits = limits.maxItems(); // its size was not why
      wentWell = 0;
    } else if (++wentWell >= WELL) {
      fits = (int) Math.min(limits.maxItems(), 2L * fits);
      wentWell = 0;
    }
    most = fits;
  }

  private void complete(
      List<Pending<T, R>> batch, @Nullable List<R> results, @Nullable Throwable cause) {
    for (int i = 0; i < batch.size(); i++) {
      if (results != null && cause == null) {
        batch.get(i).result().complete(results.get(i));
      } else {
        batch.get(i).result().completeExceptionally(cause == null ? Transport.closedNow() : cause);
      }
      batch.get(i).noticed().complete(true);
    }
  }

  @GuardedBy("lock")
  private void putBack(List<Pending<T, R>> batch) {
    for (int i = batch.size() - 1; i >= 0; i--) {
      waiting.addFirst(batch.get(i));
      waitingBytes += batch.get(i).bytes();
    }
  }

  /**
   * Sends what there is without lingering, and waits until all that was taken before is done.
   *
   * @throws CallInterruptedException interrupted while waiting
   */
  void flush() {
    CompletableFuture<Boolean> end;
    lock.lock();
    try {
      if (last == null) {
        return;
      }
      urgentUpTo = accepted;
      end = last.noticed();
    } finally {
      lock.unlock();
    }
    go();
    Transport.get(end);
  }

  /** Takes no more. */
  void close() {
    lock.lock();
    try {
      closed = true;
      room.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
