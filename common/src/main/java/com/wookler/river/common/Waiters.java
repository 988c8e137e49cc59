package com.wookler.river.common;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Wakes consumers that wait for messages, at the cost of one volatile read a publish while no
 * consumer waits.
 *
 * <p>Each subscriber has a {@link Line}. A publish wakes the first consumer of each line; one that
 * took something and sees more wakes the next, so a burst wakes as many as it feeds. Lines without
 * consumers, or whose subscriber can take nothing now, cost a publish nothing.
 *
 * <p>No wake-up is lost: a consumer joins the line before it looks a last time for messages, a
 * publisher makes the message visible before it looks for waiting consumers; both are volatile
 * accesses, so one of them sees the other. The same holds for a line that begins to listen.
 */
public final class Waiters {
  private static final Line[] NONE = {};

  private volatile Line[] listening = NONE; // replaced under the monitor

  /** Creates it without lines. */
  public Waiters() {}

  /** Returns a new line, woken by each publish until it is {@link Line#close closed}. */
  public Line line() {
    return new Line(this);
  }

  /** To be called after messages became visible. */
  public void published() {
    for (Line line : listening) {
      line.wakeOne();
    }
  }

  /** Has the line in the list if it belongs there. */
  private synchronized void update(Line line) {
    boolean wanted = line.listens && !line.waiters.isEmpty();
    if (wanted != Arrays.asList(listening).contains(line)) {
      List<Line> lines = new ArrayList<>(Arrays.asList(listening));
      if (wanted) {
        lines.add(line);
      } else {
        lines.remove(line);
      }
      listening = lines.toArray(NONE);
    }
  }

  /** Consumers of one subscriber that wait. Thread-safe. */
  public static final class Line {
    private final Waiters arrivals;
    private final Queue<Waiter> waiters = new ConcurrentLinkedQueue<>();
    private volatile boolean listens = true;

    private Line(Waiters arrivals) {
      this.arrivals = arrivals;
    }

    /** Puts the calling thread in line; it must look for messages once more before it parks. */
    public Waiter join() {
      return join(new Waiter(Thread.currentThread(), null));
    }

    /** Adds a quick callback, which a publisher may run; the caller must look once more then. */
    public Waiter join(Runnable callback) {
      return join(new Waiter(null, callback));
    }

    private Waiter join(Waiter waiter) {
      waiters.add(waiter);
      arrivals.update(this);
      return waiter;
    }

    public void leave(Waiter waiter) {
      waiters.remove(waiter);
      arrivals.update(this);
    }

    /**
     * Whether publishes are to wake this line. A subscriber that is paused or full has no use for
     * them; when that ends it is to listen first, then look whether there is something to wake for.
     *
     * @return whether it listened before and does not any more
     */
    @CanIgnoreReturnValue
    public boolean listen(boolean toPublishes) {
      boolean before = listens;
      if (before != toPublishes) {
        listens = toPublishes;
        arrivals.update(this);
      }
      return before && !toPublishes;
    }

    public boolean hasWaiters() {
      return !waiters.isEmpty();
    }

    /** Wakes the consumer that has waited longest, if any. */
    public void wakeOne() {
      Waiter waiter = waiters.poll();
      if (waiter != null) {
        waiter.wake();
      }
    }

    public void wakeAll() {
      for (Waiter waiter = waiters.poll(); waiter != null; waiter = waiters.poll()) {
        waiter.wake();
      }
    }

    /** Ends the line and wakes all that wait in it. */
    public void close() {
      listen(false);
      wakeAll();
    }
  }

  /**
   * A thread or a callback in a line. It remembers that it was woken: the permit of an unpark alone
   * may be used up by a lock that the thread waits for between its last look and its park.
   */
  public static final class Waiter {
    private final @Nullable Thread thread;
    private final @Nullable Runnable callback;
    private volatile boolean woken; // set by the waker, read by the waiter before it parks

    private Waiter(@Nullable Thread thread, @Nullable Runnable callback) {
      this.thread = thread;
      this.callback = callback;
    }

    /** Parks the calling thread until it is woken or the time has passed; may return early. */
    public void park(TimeSource time, long nanos) {
      if (!woken) {
        time.park(this, nanos);
      }
    }

    private void wake() {
      woken = true;
      LockSupport.unpark(thread);
      if (callback != null) {
        callback.run();
      }
    }
  }
}
