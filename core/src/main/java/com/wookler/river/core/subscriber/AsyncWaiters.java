package com.wookler.river.core.subscriber;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.WorkerPool;
import com.wookler.river.core.log.Waiters;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Where those wait for the messages of one subscriber that hold no thread, first come first served.
 *
 * <p>All of them have one place in the {@link Waiters.Line}, beside the consumers that are parked
 * in it. Whoever wakes it, a publisher perhaps, has a thread of the pool {@code async} look for
 * messages; futures are completed on the pool that futures use by themselves, for that runs what
 * the user has attached, or on an executor of his. A filter that finds nothing in a while is asked
 * on when others had the thread, so a large backlog of one subscriber holds up none.
 *
 * <p><b>No message is lost to a cancellation.</b> A request is decided once, under its own lock:
 * either messages were taken for it, or it was cancelled. A cancellation that comes while it looks
 * waits for the outcome, a turn at most, and is refused if there are messages. The rejected
 * alternative, to give back what was taken too late, cannot be had without acknowledgement.
 *
 * @param <M> what is waited for
 */
final class AsyncWaiters<M> {
  private static final Duration LONGEST = Duration.ofDays(365);
  private static final long LONGEST_TIMER_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final int THREADS = 2;

  /** The pool that futures use by themselves. */
  static final Executor FUTURES = new CompletableFuture<Void>().defaultExecutor();

  private final Waiters.Line line;
  private final TimeSource time;
  private final Poller<M> poller;
  private final boolean filters;
  private final AtomicBoolean asked = new AtomicBoolean();
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final Deque<Request<M>> waiting = new ArrayDeque<>();

  /** When to look for those whose time is over; none of them ends before. Set under the lock. */
  private volatile long nextDeadline = Long.MAX_VALUE;

  @GuardedBy("lock")
  private @Nullable WorkerPool pool;

  @GuardedBy("lock")
  private boolean closed;

  private volatile WorkerPool.@Nullable Serial looker; // written under the lock
  private volatile boolean inLine; // whether nobody has woken the waiter
  private Waiters.@Nullable Waiter waiter; // confined to the looker, like what follows
  private long timerAt = Long.MAX_VALUE;

  /**
   * A room in which nobody waits yet.
   *
   * @param filters whether taking may look through a whole backlog, which no caller waits for
   */
  AsyncWaiters(Waiters.Line line, TimeSource time, Poller<M> poller, boolean filters) {
    this.line = line;
    this.time = time;
    this.poller = poller;
    this.filters = filters;
  }

  /** What a look has come to. */
  private enum Look {
    /** The request is answered. */
    DECIDED,
    /** There is nothing for it. */
    NOTHING,
    /** There may be something among what was not looked at yet. */
    MORE
  }

  /** What was asked for; its state is under its own lock. */
  private static final class Request<M> extends CompletableFuture<List<Delivery<M>>> {
    private final int max;
    private final long deadline;
    private final boolean waits;
    private final Executor completer;
    private final ReentrantLock deciding = new ReentrantLock();

    @GuardedBy("deciding")
    private boolean decided;

    /**
     * Asks.
     *
     * @param deadline when it is answered without messages
     * @param waits false if it is answered so as soon as all that there is was looked at, which may
     *     be later
     */
    Request(int max, long deadline, boolean waits, Executor completer) {
      this.max = max;
      this.waits = waits;
      this.deadline = deadline;
      this.completer = completer;
    }

    private boolean decide() {
      deciding.lock();
      try {
        boolean first = !decided;
        decided = true;
        return first;
      } finally {
        deciding.unlock();
      }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
      return decide() ? super.cancel(mayInterruptIfRunning) : isCancelled();
    }

    @Override
    public boolean complete(List<Delivery<M>> value) {
      return decide() && super.complete(value);
    }

    @Override
    public boolean completeExceptionally(Throwable cause) {
      return decide() && super.completeExceptionally(cause);
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
      return new CompletableFuture<>();
    }

    /** Takes what is there, as far as that is found in a turn. */
    Look look(Poller<M> poller, boolean last) {
      List<Delivery<M>> taken = List.of();
      Throwable failed = null;
      deciding.lock();
      try {
        if (decided) {
          return Look.DECIDED;
        }
        try {
          taken = poller.takeInTurn(max);
        } catch (RuntimeException | Error e) {
          failed = e;
        }
        boolean found = taken != null && !taken.isEmpty();
        decided = found || failed != null || last;
        if (!decided) {
          return taken == null ? Look.MORE : Look.NOTHING;
        }
      } finally {
        deciding.unlock();
      }
      answer(taken == null ? List.of() : taken, failed);
      return Look.DECIDED;
    }

    private void answer(List<Delivery<M>> taken, @Nullable Throwable failed) {
      Runnable answer =
          failed == null ? () -> super.complete(taken) : () -> super.completeExceptionally(failed);
      try {
        completer.execute(answer);
      } catch (RuntimeException | Error e) { // it refuses, or there is no thread: better here
        answer.run();
      }
    }
  }

  /** Takes what is there; where there is nothing, the future waits for it. */
  CompletableFuture<List<Delivery<M>>> take(int max, Duration timeout, Executor completer) {
    boolean first;
    lock.lock();
    try {
      first = waiting.isEmpty();
    } finally {
      lock.unlock();
    }
    boolean waits = !timeout.isZero() && !timeout.isNegative();
    if (!filters && (first || !waits)) {
      List<Delivery<M>> taken =
          first ? poller.take(max) : List.of(); // else it is for those who wait
      if (!waits || !taken.isEmpty()) {
        return CompletableFuture.completedFuture(taken);
      }
    }
    Duration bounded = timeout.compareTo(LONGEST) > 0 ? LONGEST : timeout;
    long nanos = waits ? bounded.toNanos() : 0;
    return queue(new Request<>(max, time.nanoTime() + nanos, waits, completer));
  }

  private Request<M> queue(Request<M> request) {
    lock.lock();
    try {
      if (closed) {
        poller.take(request.max); // throws
      }
      if (pool == null) {
        pool = WorkerPool.acquire("async", THREADS);
        looker = pool.serial("subscriber");
      }
      waiting.add(request);
      nextDeadline = Math.min(nextDeadline, request.deadline);
    } finally {
      lock.unlock();
    }
    ask();
    return request;
  }

  /** Has somebody look soon. */
  private void ask() {
    WorkerPool.Serial looks = looker;
    if (looks != null && asked.compareAndSet(false, true)) {
      try {
        looks.execute(this::look);
      } catch (RejectedExecutionException e) {
        asked.set(false); // closed: all were answered
      }
    }
  }

  /** For clocks that are moved by hand: no timer knows. While nothing is due, nobody looks. */
  void runMaintenance(boolean mayBeDue) {
    if (nextDeadline <= time.nanoTime() || (mayBeDue && nextDeadline != Long.MAX_VALUE)) {
      ask();
    }
  }

  private void woken() {
    inLine = false;
    ask();
  }

  private void look() {
    asked.set(false); // before the look: what comes behind it asks again
    long end = filters ? time.nanoTime() + Poller.TURN_NANOS : 0;
    while (true) {
      if (!inLine) { // before the look, so that a publish behind it wakes it
        inLine = true;
        waiter = line.join(this::woken);
      }
      Request<M> head = head();
      if (head == null) {
        leave();
        return;
      }
      Look found = head.look(poller, false);
      boolean turnOver = filters && time.nanoTime() - end >= 0;
      if (found == Look.MORE || (turnOver && found == Look.DECIDED)) {
        expire(false);
        ask(); // behind the others
        return;
      }
      if (found == Look.NOTHING) {
        expire(true);
        return;
      }
    }
  }

  /** Returns the one that has waited longest; those that are decided go. */
  private @Nullable Request<M> head() {
    lock.lock();
    try {
      Request<M> head = waiting.peek();
      while (head != null && isDecided(head)) {
        waiting.remove();
        head = waiting.peek();
      }
      if (head == null) {
        nextDeadline = Long.MAX_VALUE;
      }
      return head;
    } finally {
      lock.unlock();
    }
  }

  private static boolean isDecided(Request<?> request) {
    request.deciding.lock();
    try {
      return request.decided;
    } finally {
      request.deciding.unlock();
    }
  }

  private void leave() {
    Waiters.Waiter left = waiter;
    if (left != null) {
      line.leave(left);
    }
    inLine = false;
    if (poller.needsAnother()) { // a wake that was meant for it goes on
      line.wakeOne();
    }
  }

  /**
   * Answers those whose time is over, and has the next one noticed.
   *
   * @param seenAll whether all that there is was looked at
   */
  private void expire(boolean seenAll) {
    List<Request<M>> over = List.of();
    long next;
    long now = time.nanoTime();
    lock.lock();
    try {
      if (nextDeadline <= now) {
        over = takeThoseOver(now, seenAll);
      }
      next = nextDeadline - now;
    } finally {
      lock.unlock();
    }
    over.forEach(request -> request.look(poller, true));
    timer(now, Math.min(next, poller.nanosUntilDue()));
  }

  @GuardedBy("lock")
  private List<Request<M>> takeThoseOver(long now, boolean seenAll) {
    List<Request<M>> over = new ArrayList<>();
    nextDeadline = Long.MAX_VALUE;
    for (Iterator<Request<M>> all = waiting.iterator(); all.hasNext(); ) {
      Request<M> request = all.next();
      if (request.deadline <= now && (seenAll || request.waits)) {
        over.add(request);
        all.remove();
      } else {
        nextDeadline = Math.min(nextDeadline, request.deadline);
      }
    }
    return over;
  }

  private void timer(long now, long nanos) {
    long bounded = Math.min(nanos, LONGEST_TIMER_NANOS);
    if (timerAt <= now || now + bounded < timerAt) {
      timerAt = now + bounded;
      CompletableFuture.delayedExecutor(bounded, TimeUnit.NANOSECONDS, Runnable::run)
          .execute(this::ask);
    }
  }

  /** Answers all that wait; the subscriber is closed, and says so when it is asked. */
  void close() {
    WorkerPool share;
    List<Request<M>> left;
    lock.lock();
    try {
      closed = true;
      share = pool;
      left = new ArrayList<>(waiting);
      waiting.clear();
    } finally {
      lock.unlock();
    }
    left.forEach(request -> request.look(poller, true));
    if (share != null) {
      share.release();
    }
  }
}
