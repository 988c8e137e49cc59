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
 * A reference to a small pool of threads that is shared in the JVM. River never interrupts its
 * threads, because an interrupt closes the file channel that a thread works on. A task that throws
 * is logged, and the pool continues.
 *
 * <p>Thread-safe. Each {@link #acquire} must be followed by one {@link #release}; the first acquire
 * starts the threads, the last release ends them.
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
   * Acquires the pool of a name.
   *
   * @param threads number of threads if this call creates the pool, at least 1; ignored otherwise
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

  /** Acquires the pool of a name for what has this clock, which has its own if it is stepped. */
  public static WorkerPool acquire(String name, int threads, TimeSource time) {
    return acquire(
        time instanceof SteppedTimeSource stepped ? stepped.poolName(name) : name, threads);
  }

  /**
   * Waits uninterruptibly until no task runs or is submitted; for tests, and not on a thread of the
   * pool. Returns whether it had to wait.
   */
  public boolean awaitIdle() {
    return shared.awaitIdle();
  }

  /**
   * Creates a serial executor: its tasks run one after the other on the pool, in the order of their
   * submission, and each sees the writes of the previous one. Serial executors take turns, one task
   * each.
   *
   * @param owner the owner of the tasks, for logs
   */
  public Serial serial(String owner) {
    return new Serial(this, owner);
  }

  /**
   * Releases the reference. Serial executors of this reference reject tasks from then on. The last
   * release runs the submitted tasks, ends the threads and waits for them; on a thread of the pool
   * it does not wait for that one. Idempotent.
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

  /**
   * A serial executor, created by {@link WorkerPool#serial}: runs its tasks one after the other.
   * Thread-safe.
   */
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
     * Submits a task. Blocks at most for the pool's lock, which is never held while a task runs.
     *
     * @throws RejectedExecutionException the pool's reference was released
     */
    @Override
    public void execute(Runnable task) {
      if (pool.released.get() || !pool.shared.submit(this, task)) {
        throw new RejectedExecutionException(
            "'"
                + owner
                + "' cannot submit to worker pool '"
                + pool.shared.name
                + "': it was released");
      }
    }

    /**
     * Waits until all tasks that were submitted before have run. An interrupt does not end the
     * wait; the flag is set again afterwards.
     *
     * @throws IllegalStateException the calling thread belongs to this pool, and would wait for
     *     itself
     */
    public void drain() {
      if (pool.shared.threads.contains(Thread.currentThread())) {
        throw new IllegalStateException("drain() of '" + owner + "' on a thread of its own pool");
      }
      CountDownLatch done = new CountDownLatch(1);
      if (!pool.shared.submit(this, done::countDown)) {
        // The pool has ended, or ends after it has run all tasks.
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

  /** The shared pool. */
  private static final class Shared {
    final String name;
    final List<Thread> threads;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition work = lock.newCondition();
    private final Condition idle = lock.newCondition();

    // Guarded by POOLS_LOCK.
    int shares;

    @GuardedBy("lock")
    private final Deque<Serial> ready = new ArrayDeque<>();

    @GuardedBy("lock")
    private int running;

    @GuardedBy("lock")
    private boolean closed;

    Shared(String name, int size) {
      this.name = name;
      List<Thread> created = new ArrayList<>();
      for (int i = 1; i <= size; i++) {
        created.add(new MonitoredThread("RIVER-" + name + "-" + i, this::runUntilClosed));
      }
      this.threads = List.copyOf(created);
      try {
        threads.forEach(Thread::start);
      } catch (Throwable e) {
        close();
        throw e;
      }
    }

    /** Submits a task; returns false if the pool has ended. */
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

    boolean awaitIdle() {
      lock.lock();
      try {
        boolean busy = running > 0 || !ready.isEmpty();
        while (running > 0 || !ready.isEmpty()) {
          idle.awaitUninterruptibly();
        }
        return busy;
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
      threads.forEach(thread -> Threads.join(thread, "worker pool '" + name + "'"));
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
        while (ready.isEmpty() && !closed) {
          work.awaitUninterruptibly();
        }
        Serial next = ready.pollFirst();
        if (next != null) {
          running++;
        }
        return next;
      } finally {
        lock.unlock();
      }
    }

    private void run(Serial serial) {
      Runnable task = next(serial);
      // An interrupt would close the file that the task works on.
      Thread.interrupted();
      try {
        task.run();
      } catch (Throwable e) {
        SafeLog.error(
            LOG, "A task of '" + serial.owner + "' in worker pool '" + name + "' failed", e);
      }
      try {
        PageFaults.settle(); // a pending error inside the lock would leave it locked
      } catch (InternalError e) {
        LOG.debug("A page fault came while the call was linked", e);
      } finally {
        taskCompleted(serial);
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

    private void taskCompleted(Serial serial) {
      lock.lock();
      try {
        serial.scheduled = false;
        running--;
        if (!serial.tasks.isEmpty()) {
          schedule(serial);
        } else if (running == 0 && ready.isEmpty()) {
          idle.signalAll();
        }
      } finally {
        lock.unlock();
      }
    }

    @GuardedBy("lock")
    private void schedule(Serial serial) {
      if (!serial.scheduled) {
        serial.scheduled = true;
        ready.addLast(serial);
        work.signal();
      }
    }
  }
}
