package com.wookler.river.common;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.errors.RiverException;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repeats {@link ManagedTask}s on a small pool of threads. Steps run in the order of their due
 * times, at most as many at once as the pool has threads, and a task that has more to do runs after
 * all others that are due. A step that throws is logged, counted, and retried after 1 s, then 2 s,
 * 4 s and so on up to a minute, without delaying other tasks.
 *
 * <p>Thread-safe, and all methods may be called from inside a step. Tasks are compared by {@code
 * equals}. Steps are never interrupted.
 *
 * <h2>How it works</h2>
 *
 * The waiting tasks are in {@code queue}, ordered by due time and then by insertion. One of the
 * idle threads, the leader, waits for the head to become due, the others until they are needed; a
 * thread that takes a task makes another one the leader. {@code wake} sets a flag without the lock,
 * and only the caller that set it takes the lock, so waking a task that is awake costs a read.
 */
public final class TaskManager implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TaskManager.class);
  private static final AtomicInteger POOLS = new AtomicInteger();
  private static final long FIRST_BACKOFF = Duration.ofSeconds(1).toNanos();
  private static final long MAX_BACKOFF = Duration.ofMinutes(1).toNanos();
  private static final long SLOW_STEP = Duration.ofMillis(50).toNanos();

  private final String name;
  private final TimeSource time;
  private final long origin;
  private final AtomicLong failures = new AtomicLong();
  private final Map<ManagedTask, Entry> entries = new ConcurrentHashMap<>();
  private final List<MonitoredThread> threads = new ArrayList<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition stepEnded = lock.newCondition();

  @GuardedBy("lock")
  private final PriorityQueue<Entry> queue =
      new PriorityQueue<>(
          Comparator.<Entry>comparingLong(entry -> entry.due)
              .thenComparingLong(entry -> entry.enqueueOrder));

  @GuardedBy("lock")
  private final Deque<Thread> idle = new ArrayDeque<>();

  @GuardedBy("lock")
  private @Nullable Thread leader;

  @GuardedBy("lock")
  private long enqueueCount;

  @GuardedBy("lock")
  private boolean closed;

  /**
   * Creates a task manager and starts its threads, which are called {@code
   * POOL-<n>-TaskManager-THREAD-<m>}, where n counts the managers of this JVM.
   *
   * @param name the manager's name in logs and errors
   * @param poolSize how many steps run at once, at least 1
   */
  public TaskManager(String name, int poolSize, TimeSource time) {
    this(name, poolSize, time, "POOL-" + POOLS.incrementAndGet() + "-TaskManager-THREAD-");
  }

  /**
   * Creates a task manager and starts its threads, which are called by a prefix and their number,
   * from 1.
   */
  TaskManager(String name, int poolSize, TimeSource time, String threadPrefix) {
    this(name, time);
    if (poolSize < 1) {
      throw new IllegalArgumentException("Task manager '" + name + "' needs at least 1 thread");
    }
    for (int i = 1; i <= poolSize; i++) {
      threads.add(new MonitoredThread(threadPrefix + i, this::runUntilClosed));
    }
    try {
      threads.forEach(Thread::start);
    } catch (Throwable e) {
      close();
      throw e;
    }
  }

  private TaskManager(String name, TimeSource time) {
    this.name = name;
    this.time = time;
    this.origin = time.nanoTime();
  }

  /**
   * Creates a task manager without threads, for tests: steps run only in {@link #stepAll}, whatever
   * their intervals are.
   */
  public static TaskManager stepped(String name, TimeSource time) {
    return new TaskManager(name, time);
  }

  /**
   * Runs a step of each task on this thread, in the order in which they were added, and further
   * ones of those that have more to do. For a manager without threads.
   */
  public void stepAll() {
    List<Entry> all;
    lock.lock();
    try {
      all = new ArrayList<>(queue);
      all.sort(Comparator.comparingLong(entry -> entry.enqueueOrder));
    } finally {
      lock.unlock();
    }
    for (Entry entry : all) {
      while (begins(entry)) {
        long due = step(entry);
        stepCompleted(entry, due);
        if (due > now()) {
          break;
        }
      }
    }
  }

  private boolean begins(Entry entry) {
    lock.lock();
    try {
      if (!queue.remove(entry)) {
        return false; // removed, or run by another call
      }
      entry.runner = Thread.currentThread();
      entry.woken.set(false);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns for how many nanoseconds no task has anything to do if nothing changes: see {@link
   * ManagedTask#quiet}. For a manager without threads.
   */
  public long nanosUntilDue() {
    lock.lock();
    try {
      return queue.stream()
          .mapToLong(entry -> TimeUnit.NANOSECONDS.convert(entry.task.quiet()))
          .min()
          .orElse(Long.MAX_VALUE);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Adds a task. Its first step is due at once.
   *
   * @throws RiverException the task was added already (or its last step after a removal still
   *     runs), or the manager is closed
   */
  public void add(ManagedTask task) {
    Entry entry = new Entry(task, task.name());
    lock.lock();
    try {
      if (closed) {
        throw new RiverException(
            "Task manager '%s' is closed; task '%s' cannot be added".formatted(name, entry.name));
      }
      if (entries.putIfAbsent(task, entry) != null) {
        throw new RiverException(
            "Task '%s' is in task manager '%s' already".formatted(entry.name, name));
      }
      enqueue(entry, now());
      wakeWorker();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Removes a task and waits uninterruptibly until no step of it runs any more; called from its own
   * step, it does not wait. Two steps that remove each other's tasks deadlock. Does nothing if the
   * manager does not have the task.
   */
  public void remove(ManagedTask task) {
    lock.lock();
    try {
      Entry entry = entries.get(task);
      if (entry == null) {
        return;
      }
      entry.removed = true;
      if (entry.runner == null) {
        queue.remove(entry);
        entries.remove(task, entry);
      }
      while (entry.runner != null && entry.runner != Thread.currentThread()) {
        stepEnded.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Makes the next step of a task due at once, instead of at the end of its interval. A step that
   * starts later sees everything written before this call. The backoff after a failure is not
   * shortened. Does nothing if the manager does not have the task.
   */
  public void wake(ManagedTask task) {
    Entry entry = entries.get(task);
    if (entry == null) {
      return;
    }
    // The caller's writes must not be reordered after the read of the flag: a step that clears it
    // sees them.
    VarHandle.fullFence();
    if (entry.woken.get() || !entry.woken.compareAndSet(false, true)) {
      return;
    }
    lock.lock();
    try {
      // A running task is enqueued again by its thread, which reads the flag.
      if (entry.runner == null && entry.failedInRow == 0 && queue.remove(entry)) {
        enqueue(entry, Math.min(entry.due, now()));
        wakeWorker();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns how many steps have thrown. */
  public long failures() {
    return failures.get();
  }

  /**
   * Ends the threads, and waits for them and for running steps; called from a step, it does not
   * wait for that one. No step starts after it has returned. Idempotent.
   */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      queue.clear();
      idle.forEach(LockSupport::unpark);
    } finally {
      lock.unlock();
    }
    threads.forEach(thread -> Threads.join(thread, "task manager '" + name + "'"));
  }

  private void runUntilClosed() {
    Entry entry = take();
    while (entry != null) {
      long due = step(entry);
      // An interrupt that a step left must not affect the next one.
      Thread.interrupted();
      stepCompleted(entry, due);
      entry = take();
    }
  }

  /** Waits until a task is due and returns it, or null when the manager is closed. */
  private @Nullable Entry take() {
    lock.lock();
    try {
      while (!closed) {
        Entry head = queue.peek();
        long wait = head == null ? Long.MAX_VALUE : head.due - now();
        if (head != null && wait <= 0) {
          queue.remove();
          head.runner = Thread.currentThread();
          head.woken.set(false);
          if (leader == null && !queue.isEmpty()) {
            wakeWorker();
          }
          return head;
        }
        await(head, wait);
      }
      return null;
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void await(@Nullable Entry head, long wait) {
    Thread me = Thread.currentThread();
    boolean lead = head != null && leader == null;
    if (lead) {
      leader = me;
    }
    idle.addLast(me);
    lock.unlock();
    try {
      time.park(this, lead ? wait : Long.MAX_VALUE);
      // With the flag set, parking would always return at once.
      Thread.interrupted();
    } finally {
      lock.lock();
    }
    idle.remove(me);
    if (leader == me) {
      leader = null;
    }
  }

  /** Runs a step and returns when the next one is due. */
  private long step(Entry entry) {
    long start = now();
    try {
      boolean more = entry.task.step();
      long end = now();
      if (end - start > SLOW_STEP) {
        LOG.debug("A step of task '{}' took {} ms", entry.name, (end - start) / 1_000_000);
      }
      long pause = more ? 0 : Math.max(0, TimeUnit.NANOSECONDS.convert(entry.task.interval()));
      entry.failedInRow = 0;
      return saturatedAdd(end, pause);
    } catch (Throwable e) {
      // Also an Error: one task's missing class or stack overflow must not end the shared thread.
      long end = now();
      long pause = backoff(entry.failedInRow++);
      failures.incrementAndGet();
      SafeLog.error(
          LOG,
          "A step of task '%s' failed, %d in a row; next try in %d s"
              .formatted(entry.name, entry.failedInRow, pause / 1_000_000_000),
          e);
      return saturatedAdd(end, pause);
    }
  }

  private static long backoff(int failedBefore) {
    return failedBefore >= 6 ? MAX_BACKOFF : Math.min(MAX_BACKOFF, FIRST_BACKOFF << failedBefore);
  }

  private void stepCompleted(Entry entry, long due) {
    lock.lock();
    try {
      entry.runner = null;
      if (entry.removed) {
        entries.remove(entry.task, entry);
      } else if (!closed) {
        boolean woken = entry.woken.get() && entry.failedInRow == 0;
        enqueue(entry, woken ? Math.min(due, now()) : due);
      }
      stepEnded.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void enqueue(Entry entry, long due) {
    entry.due = due;
    entry.enqueueOrder = ++enqueueCount;
    queue.add(entry);
    if (queue.peek() == entry) {
      // The leader waits for a later task; the next thread becomes the leader.
      leader = null;
    }
  }

  @GuardedBy("lock")
  private void wakeWorker() {
    Thread worker = idle.pollFirst();
    if (worker != null) {
      LockSupport.unpark(worker);
    }
  }

  private static long saturatedAdd(long now, long pause) {
    long sum = now + pause;
    return sum < now ? Long.MAX_VALUE : sum;
  }

  /**
   * Returns nanoseconds since this manager was created, which, unlike the raw clock, can be
   * compared.
   */
  private long now() {
    return time.nanoTime() - origin;
  }

  /** A task and its state. */
  private static final class Entry {
    final ManagedTask task;
    final String name;

    /** Set by {@link #wake} without the lock, cleared when a step starts. */
    final AtomicBoolean woken = new AtomicBoolean();

    // The fields below are guarded by the manager's lock, except for failedInRow, which the running
    // thread
    // writes before it takes the lock
    // to enqueue the entry.
    long due;
    long enqueueOrder;
    int failedInRow;
    boolean removed;
    @Nullable Thread runner;

    Entry(ManagedTask task, String name) {
      this.task = task;
      this.name = name;
    }
  }
}
