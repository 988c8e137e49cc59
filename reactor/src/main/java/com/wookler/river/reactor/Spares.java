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
 * Threads that are started before they are needed: a few parked ones for all reactors of the JVM,
 * so that a message for a reactor at rest waits for no thread to be started. Where more are wanted
 * at once, they are started as they are wanted.
 *
 * <p>A thread runs one task and ends, so none sees what another reactor's processors left in it; in
 * the place of one that was given away another is started, behind the hand-over. Thread-safe; each
 * {@link #acquire} is to be followed by one {@link #release}, and the last ends those that wait.
 */
final class Spares {
  /** How many wait, once the first thread was needed. */
  static final int NUMBER = 2;

  private static final Logger LOG = LoggerFactory.getLogger(Spares.class);
  private static final AtomicLong MADE = new AtomicLong(); // for their names
  private static final Object SHARED_LOCK = new Object();

  @GuardedBy("SHARED_LOCK")
  private static @Nullable Spares shared;

  @GuardedBy("SHARED_LOCK")
  private int users;

  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final Deque<Spare> waiting = new ArrayDeque<>();

  @GuardedBy("lock")
  private int starting;

  @GuardedBy("lock")
  private boolean closed;

  private Spares() {}

  /** One that waits for its task. */
  private static final class Spare implements Runnable {
    private final MonitoredThread thread;
    private volatile @Nullable Runnable task; // set once, then unparked

    Spare() {
      thread = new MonitoredThread("RIVER-spare-" + MADE.incrementAndGet(), this);
      thread.setContextClassLoader(ClassLoader.getSystemClassLoader()); // not the first user's
    }

    void give(String name, Runnable given) {
      thread.setName(name);
      task = given;
      LockSupport.unpark(thread);
    }

    void end() {
      task = Spare::nothing;
      LockSupport.unpark(thread);
    }

    private static void nothing() {}

    @Override
    public void run() {
      Runnable given = task;
      while (given == null) {
        LockSupport.park(this);
        Thread.interrupted(); // with the flag set it would not park any more
        given = task;
      }
      given.run();
    }
  }

  static Spares acquire() {
    synchronized (SHARED_LOCK) {
      if (shared == null) {
        shared = new Spares();
      }
      shared.users++;
      return shared;
    }
  }

  /** Gives the share back; whoever has none may still have tasks run. */
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
      waiting.forEach(Spare::end);
      waiting.clear();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Has a thread run a task.
   *
   * @throws OutOfMemoryError there is no thread for it
   */
  void run(String name, Runnable task) {
    Spare spare = take();
    if (spare == null) {
      new MonitoredThread(name, task).start();
    } else {
      spare.give(name, task);
    }
    refill();
  }

  private @Nullable Spare take() {
    lock.lock();
    try {
      return waiting.poll();
    } finally {
      lock.unlock();
    }
  }

  /** Not under the lock: starting a thread takes a while. */
  private void refill() {
    while (begin()) {
      Spare spare = null;
      try {
        Spare made = new Spare();
        made.thread.start();
        spare = made;
      } catch (Throwable e) { // who needs a thread at once will say so
        LOG.debug("No thread can be started ahead", e);
        return;
      } finally {
        began(spare);
      }
    }
  }

  private boolean begin() {
    lock.lock();
    try {
      boolean wanted = !closed && waiting.size() + starting < NUMBER;
      starting += wanted ? 1 : 0;
      return wanted;
    } finally {
      lock.unlock();
    }
  }

  private void began(@Nullable Spare spare) {
    lock.lock();
    try {
      starting--;
      if (spare != null && closed) {
        spare.end();
      } else if (spare != null) {
        waiting.add(spare);
      }
    } finally {
      lock.unlock();
    }
  }
}
