package com.wookler.river.reactor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.TimeSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Decides whether the workers of a reactor may take messages: not while it is paused, held back or
 * stopped. Thread-safe.
 */
final class PauseGate {
  private static final long LONGEST_WAIT =
      TimeUnit.SECONDS.toNanos(1); // a test may move the clock meanwhile

  /** Says whether workers may take messages, apart from a hold. */
  enum State {
    /** Workers may take messages. */
    OPEN,
    /** Workers take no messages until the reactor is resumed. */
    PAUSED,
    /** Workers end. */
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

  PauseGate(TimeSource time) {
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

  /** Changes the state. Does nothing after {@link State#STOPPED}. */
  void setState(State next) {
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

  /**
   * Holds messages back for a time from now, in nanoseconds. A hold that ends later stays in force.
   */
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

  /**
   * Returns for how many nanoseconds messages are still held back, at most a second; 0 if they are
   * not.
   */
  long remainingHoldNanos() {
    lock.lock();
    try {
      long left = held ? heldUntil - time.nanoTime() : 0;
      if (left <= 0) {
        held = false;
        return 0;
      }
      return Math.min(left, LONGEST_WAIT);
    } finally {
      lock.unlock();
    }
  }

  /** Waits for a time in nanoseconds, or until the gate is stopped or the thread interrupted. */
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
