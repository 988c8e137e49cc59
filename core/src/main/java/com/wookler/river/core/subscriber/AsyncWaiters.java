package com.wookler.river.core.subscriber;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.Waiters;
import com.wookler.river.common.WorkerPool;
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
 * Holds the futures that wait for messages of one subscriber without a thread, first come first
 * served.
 *
 * <p>All of them are one waiter in the {@link Waiters.Line}, beside the consumers that are parked
 * there. When it is woken, a thread of the pool {@code async} looks for messages. Futures are
 * completed on the pool that futures use by themselves, or on the user's executor, because user
 * code is attached to them. A filter that finds nothing in a while continues when others had the
 * thread, so a large backlog of one subscriber delays no other.
 *
 * <p><b>No message is lost to a cancellation.</b> A request is answered once, under its own lock:
 * either messages were taken for it, or it was cancelled. A cancellation that comes while it looks
 * waits for the result, a turn at most, and is refused if there are messages. The rejected
 * alternative, to give back what was taken too late, cannot be had without acknowledgement.
 */
final class AsyncWaiters<M> {
  private static final Duration LONGEST = Duration.ofDays(365);
  private static final long LONGEST_TIMER_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final int THREADS = 2;
  // the pool that futures use by themselves
  static final Executor FUTURES = new CompletableFuture<Void>().defaultExecutor();

  private final Waiters.Line line;
  private final TimeSource time;
  private final Poller<M> poller;
  private final boolean filters;
  private final AtomicBoolean asked = new AtomicBoolean();
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final Deque<Request<M>> waiting = new ArrayDeque<>();

  // when to look for those whose time is over; none of them ends before. Set under the lock
  private volatile long nextDeadline = Long.MAX_VALUE;

  @GuardedBy("lock")
  private @Nullable WorkerPool pool;

  @GuardedBy("lock")
  private boolean closed;

  private volatile WorkerPool.@Nullable Serial looker; // written under the lock
  private volatile boolean inLine; // whether the waiter was not woken yet
  private Waiters.@Nullable Waiter waiter; // confined to the looker, like what follows
  private long timerAt = Long.MAX_VALUE;

  /** Creates it; {@code filters}: whether a take may look through a whole backlog. */
  AsyncWaiters(Waiters.Line line, TimeSource time, Poller<M> poller, boolean filters) {
    this.line = line;
    this.time = time;
    this.poller = poller;
    this.filters = filters;
  }

  private enum Look {
    ANSWERED,
    NOTHING, // there is nothing for it
    MORE // there may be something among what was not looked at yet
  }

  /** A future that waits for messages; its state is guarded by its own lock. */
  private static final class Request<M> extends CompletableFuture<List<Delivery<M>>> {
    private final int max;
    private final long deadline;
    private final boolean waits;
    private final Executor completer;
    private final ReentrantLock answering = new ReentrantLock();

    @GuardedBy("answering")
    private boolean answered;

    /**
     * Creates a request; {@code waits} is false if it may be answered without messages before
     * {@code deadline}, once all that there is was looked at.
     */
    Request(int max, long deadline, boolean waits, Executor completer) {
      this.max = max;
      this.waits = waits;
      this.deadline = deadline;
      this.completer = completer;
    }

    private boolean answerOnce() {
      answering.lock();
      try {
        boolean first = !answered;
        answered = true;
        return first;
      } finally {
        answering.unlock();
      }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
      return answerOnce() ? super.cancel(mayInterruptIfRunning) : isCancelled();
    }

    @Override
    public boolean complete(List<Delivery<M>> value) {
      return answerOnce() && super.complete(value);
    }

    @Override
    public boolean completeExceptionally(Throwable cause) {
      return answerOnce() && super.completeExceptionally(cause);
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
      return new CompletableFuture<>();
    }

    /** Takes what is there, as far as that is found in a turn. */
    Look look(Poller<M> poller, boolean last) {
      List<Delivery<M>> taken = List.of();
      Throwable failed = null;
      answering.lock();
      try {
        if (answered) {
          return Look.ANSWERED;
        }
        try {
          taken = poller.takeInTurn(max);
        } catch (RuntimeException | Error e) {
          failed = e;
        }
        boolean found = taken != null && !taken.isEmpty();
        answered = found || failed != null || last;
        if (!answered) {
          return taken == null ? Look.MORE : Look.NOTHING;
        }
      } finally {
        answering.unlock();
      }
      answer(taken == null ? List.of() : taken, failed);
      return Look.ANSWERED;
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
          first ? poller.take(max) : List.of(); // else it is for those that wait
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

  /** Looks where something may be due: a clock that is moved by hand runs no timer. */
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
    asked.set(false); // before the look: what comes after it asks again
    long end = filters ? time.nanoTime() + Poller.TURN_NANOS : 0;
    while (true) {
      if (!inLine) { // before the look, so that a publish after it wakes it
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
      if (found == Look.MORE || (turnOver && found == Look.ANSWERED)) {
        expire(false);
        ask(); // after the others
        return;
      }
      if (found == Look.NOTHING) {
        expire(true);
        return;
      }
    }
  }

  /** Returns the one that has waited longest; those that are answered go. */
  private @Nullable Request<M> head() {
    lock.lock();
    try {
      Request<M> head = waiting.peek();
      while (head != null && isAnswered(head)) {
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

  private static boolean isAnswered(Request<?> request) {
    request.answering.lock();
    try {
      return request.answered;
    } finally {
      request.answering.unlock();
    }
  }

  private void leave() {
    Waiters.Waiter left = waiter;
    if (left != null) {
      line.leave(left);
    }
    inLine = false;
    if (poller.needsAnother()) { // a wake that was meant for it is passed to another
      line.wakeOne();
    }
  }

  /** Answers those whose time is over, and times the next; {@code seenAll}: nothing is unseen. */
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

  /** Returns whether a future waits. */
  boolean isAwaited() {
    lock.lock();
    try {
      return !waiting.isEmpty();
    } finally {
      lock.unlock();
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
