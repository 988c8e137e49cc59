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
 * Publishes messages in batches: one request carries what came while the one before it was under
 * way, or within the linger time.
 *
 * <p><b>Order.</b> One batch is under way at a time, so that messages are stored in the order of
 * the calls, on one server. A batch that fails for good fails its messages, and the next one goes
 * on. <b>Memory</b> is bounded: {@link #publish} waits while more than {@link
 * Settings#maxPendingBytes} have not been stored yet.
 *
 * <p>A batch is atomic for the server, not for the caller: where it is refused as too large or
 * wrong, its halves are tried, so that one bad message fails alone.
 *
 * <p>Thread-safe.
 */
public final class BatchingPublisher implements AutoCloseable {
  private static final int OVERHEAD_BYTES = 200; // of a message, in memory and on the wire

  private final Transport transport;
  private final RemoteQueue queue;
  private final Settings settings;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition room = lock.newCondition();

  @GuardedBy("lock")
  private final Deque<Pending> waiting = new ArrayDeque<>();

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
  private int most; // of the next batch; smaller after one was refused

  @GuardedBy("lock")
  private @Nullable Pending last;

  @GuardedBy("lock")
  private boolean closed;

  /**
   * When a batch is sent: as soon as one of these is reached.
   *
   * @param maxMessages 1 to 10,000
   * @param maxBytes well below what the server takes in one request (1 MB by default)
   * @param linger how long a message waits for others; zero: not at all
   * @param maxPendingBytes that may not have been stored yet, about
   * @param durability that is asked for
   */
  public record Settings(
      int maxMessages, int maxBytes, Duration linger, long maxPendingBytes, Durability durability) {
    /** 500 messages, 256 KB, 5 ms, 16 MB, {@code MEMORY}. */
    public static final Settings DEFAULT =
        new Settings(500, 256 << 10, Duration.ofMillis(5), 16 << 20, Durability.MEMORY);

    /** Checks the numbers. */
    public Settings {
      if (maxMessages < 1
          || maxMessages > 10_000
          || maxBytes < 1
          || maxPendingBytes < 1
          || linger.isNegative()) {
        throw new IllegalArgumentException("a limit is out of its range");
      }
    }
  }

  private record Pending(
      NewMessage message, long bytes, long number, CompletableFuture<Void> stored) {}

  BatchingPublisher(Transport transport, RemoteQueue queue, Settings settings) {
    this.transport = transport;
    this.queue = queue;
    this.settings = settings;
    this.most = settings.maxMessages();
    transport.add(this);
  }

  /** Publishes a text; see {@link #publish(NewMessage)}. */
  public CompletableFuture<Void> publish(String text) {
    return publish(NewMessage.text(text));
  }

  /**
   * Takes a message, waiting while there is no room.
   *
   * @return completes once it is stored, or with what it failed with
   * @throws CallInterruptedException interrupted while waiting for room; it was not taken
   * @throws ClientClosedException closed; it was not taken
   */
  public CompletableFuture<Void> publish(NewMessage message) {
    NewMessage identified = RemoteQueue.identified(message);
    long bytes = identified.data().length + (long) OVERHEAD_BYTES;
    CompletableFuture<Void> stored = new CompletableFuture<>();
    lock.lock();
    try {
      awaitRoom(bytes);
      last = new Pending(identified, bytes, ++accepted, stored);
      waiting.add(last);
      waitingBytes += bytes;
      pendingBytes += bytes;
    } finally {
      lock.unlock();
    }
    go();
    return stored;
  }

  @GuardedBy("lock")
  private void awaitRoom(long bytes) {
    try {
      while (!closed && pendingBytes > 0 && pendingBytes + bytes > settings.maxPendingBytes()) {
        room.await();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CallInterruptedException("interrupted while waiting for room", e);
    }
    if (closed) {
      throw new ClientClosedException("the publisher is closed", null);
    }
  }

  /** Sends a batch if there is reason to, and none is under way. */
  private void go() {
    List<Pending> batch;
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
    return settings.linger().isZero()
        || waiting.size() >= most
        || waitingBytes >= settings.maxBytes()
        || pendingBytes >= settings.maxPendingBytes() / 2
        || waiting.getFirst().number() <= urgentUpTo;
  }

  @GuardedBy("lock")
  private void linger() {
    if (lingers) {
      return;
    }
    lingers = true;
    long upTo = accepted;
    var unused = transport.after(settings.linger()).thenRun(() -> lingered(upTo));
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
  private List<Pending> take() {
    List<Pending> batch = new ArrayList<>();
    long bytes = 0;
    while (!waiting.isEmpty() && batch.size() < most) {
      Pending next = waiting.getFirst();
      if (!batch.isEmpty() && bytes + next.bytes() > settings.maxBytes()) {
        break;
      }
      batch.add(waiting.removeFirst());
      bytes += next.bytes();
    }
    waitingBytes -= bytes;
    return batch;
  }

  private void send(List<Pending> batch) {
    List<NewMessage> messages = batch.stream().map(Pending::message).toList();
    CompletableFuture<Long> sent;
    try {
      sent = queue.publishAllAsync(messages, settings.durability());
    } catch (RuntimeException e) {
      sent = CompletableFuture.failedFuture(e);
    }
    var unused = sent.whenCompleteAsync((first, failure) -> done(batch, failure), this::execute);
  }

  /** On a thread of the client; if that has none any more, here. */
  private void execute(Runnable work) {
    if (transport.isClosed()) {
      work.run();
    } else {
      transport.threads().execute(work);
    }
  }

  private void done(List<Pending> batch, @Nullable Throwable failure) {
    Throwable cause = failure == null ? null : Exchange.cause(failure);
    boolean halve =
        batch.size() > 1
            && (cause instanceof TooLargeException || cause instanceof BadRequestException);
    lock.lock();
    try {
      underWay = false;
      if (halve) {
        putBack(batch);
      } else {
        most = settings.maxMessages();
        pendingBytes -= batch.stream().mapToLong(Pending::bytes).sum();
        room.signalAll();
      }
      urgentUpTo = Math.max(urgentUpTo, waiting.isEmpty() ? 0 : accepted);
    } finally {
      lock.unlock();
    }
    if (!halve) {
      batch.forEach(one -> complete(one, cause));
    }
    go();
  }

  private static void complete(Pending one, @Nullable Throwable cause) {
    if (cause == null) {
      one.stored().complete(null);
    } else {
      one.stored().completeExceptionally(cause);
    }
  }

  @GuardedBy("lock")
  private void putBack(List<Pending> batch) {
    for (int i = batch.size() - 1; i >= 0; i--) {
      waiting.addFirst(batch.get(i));
      waitingBytes += batch.get(i).bytes();
    }
    most = batch.size() / 2;
  }

  /**
   * Sends what is there without lingering, and waits until all that was taken before is stored, or
   * has failed: each future tells which.
   *
   * @throws CallInterruptedException interrupted while waiting
   */
  public void flush() {
    CompletableFuture<Void> end;
    lock.lock();
    try {
      if (last == null) {
        return;
      }
      urgentUpTo = accepted;
      end = last.stored();
    } finally {
      lock.unlock();
    }
    go();
    Transport.get(end.handle((stored, failure) -> true));
  }

  /**
   * Takes no more, and waits until all that was taken is stored or has failed. After the client was
   * closed, all that was not stored fails. Idempotent.
   */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      room.signalAll();
    } finally {
      lock.unlock();
    }
    transport.remove(this);
    flush();
  }
}
