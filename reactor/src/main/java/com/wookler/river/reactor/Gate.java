package com.wookler.river.reactor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Whether a reactor's workers may take messages. Thread-safe. */
final class Gate {
  /** What it tells those who come. */
  enum State {
    OPEN,
    PAUSED,
    STOPPED
  }

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  @GuardedBy("lock")
  private State state = State.OPEN;

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

  /** Waits while it is paused; false once it has stopped. An interrupt is left to be seen. */
  boolean pass() {
    lock.lock();
    try {
      while (state == State.PAUSED) {
        changed.awaitUninterruptibly();
      }
      return state == State.OPEN;
    } finally {
      lock.unlock();
    }
  }

  /** Waits for a time, unless it stops. */
  void hold(long nanos) {
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
