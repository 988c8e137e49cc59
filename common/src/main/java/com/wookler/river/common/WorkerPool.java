package com.wookler.river.common;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A share in a small pool of threads that all of this JVM uses. Its threads are never interrupted
 * by River, because an interrupt closes the file channel that a thread works on. A task that throws
 * is logged and the pool goes on.
 *
 * <p>Thread-safe. Each {@link #acquire} is to be followed by one {@link #release}; the first starts
 * the threads, the last ends them.
 */
public final class WorkerPool {
  private static final Logger LOG = LoggerFactory.getLogger(WorkerPool.class);
  private static final Object POOLS_LOCK = new Object();

  @GuardedBy("POOLS_LOCK")
  private static final Map<String, Shared> POOLS = new HashMap<>();

  private final Shared shared;
  private final AtomicBoolean released = new AtomicBoolean();

  private WorkerPool(Shared shared) {
    this.shared = shared;
  }

  /**
   * A share in the pool of a name.
   *
   * @param threads how many threads the pool gets if this call makes it, at least 1; otherwise it
   *     stays as it is
   */
  public static WorkerPool acquire(String name, int threads) {
    if (threads < 1) {
      throw new IllegalArgumentException("Worker pool '" + name + "' needs at least 1 thread");
    }
    synchronized (POOLS_LOCK) {
      Shared shared = POOLS.get(name);
      if (shared == null) {
        shared = new Shared(name, threads);
        POOLS.put(name, shared);
      }
      shared.shares++;
      return new WorkerPool(shared);
    }
  }

  /**
   * A line of tasks that run one after the other on the pool, in the order of their submission;
   * each sees what the one before wrote. Lines take turns, a task each.
   *
   * @param owner whose tasks they are, for logs
   */
  public Serial serial(String owner) {
    return new Serial(this, owner);
  }

  /**
   * Gives the share back; again is without effect. Lines of this share refuse tasks from then on.
   * If it was the last share, runs what was submitted, ends the threads and waits for them; on a
   * thread of the pool it does not wait for that one.
   */
  public void release() {
    if (!released.compareAndSet(false, true)) {
      return;
    }
    boolean last;
    synchronized (POOLS_LOCK) {
      last = --shared.shares == 0;
      if (last) {
        POOLS.remove(shared.name);
      }
    }
    if (last) {
      shared.close();
    }
  }

  /** Tasks that run one after the other; made by {@link WorkerPool#serial}. Thread-safe. */
  public static final class Serial implements Executor {
    private final WorkerPool pool;
    private final String owner;

    // Owned by the pool's lock.
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private boolean scheduled;

    private Serial(WorkerPool pool, String owner) {
      this.pool = pool;
      this.owner = owner;
    }

    /**
     * Submits a task; never blocks for longer than the pool's lock is held, which is never while a
     * task runs.
     *
     * @throws RejectedExecutionException if the share of this line has been released
     */
    @Override
    public void execute(Runnable task) {
      if (pool.released.get() || !pool.shared.submit(this, task)) {
        throw new RejectedExecutionException(
            "The share of '" + owner + "' in worker pool '" + pool.shared.name + "' was released");
      }
    }

    /**
     * Waits until all tasks submitted before have run. Interrupts are kept for afterwards.
     *
     * @throws IllegalStateException on a thread of this pool, which would wait for itself
     */
    public void drain() {
      if (pool.shared.threads.contains(Thread.currentThread())) {
        throw new IllegalStateException("drain() of '" + owner + "' on a thread of its own pool");
      }
      CountDownLatch done = new CountDownLatch(1);
      if (!pool.shared.submit(this, done::countDown)) {
        // The pool has ended, and it runs everything before it ends.
        pool.shared.awaitEnd();
        return;
      }
      boolean interrupted = false;
      while (true) {
        try {
          done.await();
          break;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** The pool behind the shares. */
  private static final class Shared {
    final String name;
    final List<Thread> threads;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition work = lock.newCondition();

    // Guarded by POOLS_LOCK.
    int shares;

    @GuardedBy("lock")
    private final Deque<Serial> line = new ArrayDeque<>();

    @GuardedBy("lock")
    private boolean closed;

    Shared(String name, int size) {
      this.name = name;
      List<Thread> made = new ArrayList<>();
      for (int i = 1; i <= size; i++) {
        made.add(new MonitoredThread("RIVER-" + name + "-" + i, this::runUntilClosed));
      }
      this.threads = List.copyOf(made);
      try {
        threads.forEach(Thread::start);
      } catch (Throwable e) {
        close();
        throw e;
      }
    }

    /** Puts a task in its line; false if the pool has ended. */
    boolean submit(Serial serial, Runnable task) {
      lock.lock();
      try {
        if (closed) {
          return false;
        }
        serial.tasks.addLast(task);
        schedule(serial);
        return true;
      } finally {
        lock.unlock();
      }
    }

    void close() {
      lock.lock();
      try {
        closed = true;
        work.signalAll();
      } finally {
        lock.unlock();
      }
      awaitEnd();
    }

    void awaitEnd() {
      threads.forEach(thread -> Joins.join(thread, "worker pool '" + name + "'"));
    }

    private void runUntilClosed() {
      Serial serial = take();
      while (serial != null) {
        run(serial);
        serial = take();
      }
    }

    private @Nullable Serial take() {
      lock.lock();
      try {
        while (line.isEmpty() && !closed) {
          work.awaitUninterruptibly();
        }
        return line.pollFirst();
      } finally {
        lock.unlock();
      }
    }

    private void run(Serial serial) {
      Runnable task = next(serial);
      // An interrupt by whom ever would close the file that the task works on.
      Thread.interrupted();
      try {
        task.run();
      } catch (Throwable e) {
        SafeLog.error(
            LOG, "A task of '" + serial.owner + "' in worker pool '" + name + "' failed", e);
      }
      try {
        PageFaults.settle(); // the error within the lock would leave it locked
      } catch (InternalError e) {
        LOG.debug("A page fault came while the call was linked", e);
      } finally {
        ran(serial);
      }
    }

    private Runnable next(Serial serial) {
      lock.lock();
      try {
        return serial.tasks.removeFirst();
      } finally {
        lock.unlock();
      }
    }

    private void ran(Serial serial) {
      lock.lock();
      try {
        serial.scheduled = false;
        if (!serial.tasks.isEmpty()) {
          schedule(serial);
        }
      } finally {
        lock.unlock();
      }
    }

    @GuardedBy("lock")
    private void schedule(Serial serial) {
      if (!serial.scheduled) {
        serial.scheduled = true;
        line.addLast(serial);
        work.signal();
      }
    }
  }
}
