package com.wookler.river.reactor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.MonitoredThread;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a few started, parked threads for all reactors of the JVM, so that a message for an idle
 * reactor does not wait until a thread has started. If more threads are needed at once, they are
 * started on demand.
 *
 * <p>A thread runs one task and ends, so that no task sees what another reactor's processors left
 * in it; afterwards the caller starts another thread in its place. Thread-safe. Each {@link
 * #acquire} needs one {@link #release}; the last one ends the parked threads.
 */
final class StandbyThreads {
  /** The number of parked threads, once the first task has run. */
  static final int NUMBER = 2;

  private static final Logger LOG = LoggerFactory.getLogger(StandbyThreads.class);
  private static final AtomicLong NUMBERS = new AtomicLong(); // for their names
  private static final Object SHARED_LOCK = new Object();

  @GuardedBy("SHARED_LOCK")
  private static @Nullable StandbyThreads shared;

  @GuardedBy("SHARED_LOCK")
  private int users;

  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final Deque<StandbyThread> waiting = new ArrayDeque<>();

  @GuardedBy("lock")
  private int starting;

  @GuardedBy("lock")
  private boolean closed;

  private StandbyThreads() {}

  /** A thread that waits for its task. */
  private static final class StandbyThread implements Runnable {
    private final MonitoredThread thread;
    private volatile @Nullable Runnable task; // set once, then unparked

    StandbyThread() {
      thread = new MonitoredThread("RIVER-standby-" + NUMBERS.incrementAndGet(), this);
      thread.setContextClassLoader(
          ClassLoader.getSystemClassLoader()); // not that of the first reactor
    }

    /** Starts a task on the thread, which gets a name for it. */
    void start(String name, Runnable given) {
      thread.setName(name);
      task = given;
      LockSupport.unpark(thread);
    }

    /** Ends the thread without a task. */
    void end() {
      task = StandbyThread::doNothing;
      LockSupport.unpark(thread);
    }

    private static void doNothing() {}

    @Override
    public void run() {
      Runnable given = task;
      while (given == null) {
        LockSupport.park(this);
        Thread.interrupted(); // with the flag set, it would not park again
        given = task;
      }
      given.run();
    }
  }

  /** Returns the threads of the JVM, with a share for one reactor. */
  static StandbyThreads acquire() {
    synchronized (SHARED_LOCK) {
      if (shared == null) {
        shared = new StandbyThreads();
      }
      shared.users++;
      return shared;
    }
  }

  /** Releases the share of a reactor, which may still run tasks. */
  void release() {
    synchronized (SHARED_LOCK) {
      users--;
      if (users > 0) {
        return;
      }
      shared = null;
    }
    lock.lock();
    try {
      closed = true;
      waiting.forEach(StandbyThread::end);
      waiting.clear();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Runs a task on a thread of its own.
   *
   * @throws OutOfMemoryError no thread can be started
   */
  void run(String name, Runnable task) {
    StandbyThread standby = take();
    if (standby == null) {
      new MonitoredThread(name, task).start();
    } else {
      standby.start(name, task);
    }
    refill();
  }

  private @Nullable StandbyThread take() {
    lock.lock();
    try {
      return waiting.poll();
    } finally {
      lock.unlock();
    }
  }

  /** Starts the missing threads, without the lock, as that takes a while. */
  private void refill() {
    while (beginStart()) {
      StandbyThread standby = null;
      try {
        StandbyThread started = new StandbyThread();
        started.thread.start();
        standby = started;
      } catch (Throwable e) { // a task that needs a thread reports it
        LOG.debug("Cannot start a standby thread", e);
        return;
      } finally {
        endStart(standby);
      }
    }
  }

  private boolean beginStart() {
    lock.lock();
    try {
      boolean wanted = !closed && waiting.size() + starting < NUMBER;
      starting += wanted ? 1 : 0;
      return wanted;
    } finally {
      lock.unlock();
    }
  }

  private void endStart(@Nullable StandbyThread standby) {
    lock.lock();
    try {
      starting--;
      if (standby != null && closed) {
        standby.end();
      } else if (standby != null) {
        waiting.add(standby);
      }
    } finally {
      lock.unlock();
    }
  }
}
