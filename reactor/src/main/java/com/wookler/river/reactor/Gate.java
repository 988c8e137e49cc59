package com.wookler.river.reactor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.TimeSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Whether a reactor's workers may take messages. Thread-safe. */
final class Gate {
  private static final long LONGEST_LOOK = TimeUnit.SECONDS.toNanos(1); // clocks that tests move

  /** What it tells those who come. */
  enum State {
    OPEN,
    PAUSED,
    STOPPED
  }

  private final TimeSource time;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  @GuardedBy("lock")
  private State state = State.OPEN;

  @GuardedBy("lock")
  private boolean held;

  @GuardedBy("lock")
  private long heldUntil;

  Gate(TimeSource time) {
    this.time = time;
  }

  State state() {
    lock.lock();
    try {
      return state;
    } finally {
      lock.unlock();
    }
  }

  boolean isStopped() {
    return state() == State.STOPPED;
  }

  /** The one transition; nothing follows {@link State#STOPPED}. */
  void become(State next) {
    lock.lock();
    try {
      if (state != State.STOPPED) {
        state = next;
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Nobody may take messages for so long, from now. */
  void holdBack(long nanos) {
    lock.lock();
    try {
      long until = time.nanoTime() + nanos;
      if (nanos > 0 && (!held || until - heldUntil > 0)) {
        held = true;
        heldUntil = until;
      }
    } finally {
      lock.unlock();
    }
  }

  /** For how many nanoseconds more it is held back; 0 if it is not. */
  long heldFor() {
    lock.lock();
    try {
      long left = held ? heldUntil - time.nanoTime() : 0;
      if (left <= 0) {
        held = false;
        return 0;
      }
      return Math.min(left, LONGEST_LOOK);
    } finally {
      lock.unlock();
    }
  }

  /** Waits for a time, unless it stops. */
  void await(long nanos) {
    lock.lock();
    try {
      long left = nanos;
      while (state != State.STOPPED && left > 0) {
        left = changed.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }
}
