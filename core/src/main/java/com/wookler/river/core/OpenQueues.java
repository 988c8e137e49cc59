package com.wookler.river.core;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Predicate;

/**
 * The queues that run in this JVM, by their directories, for those that hand messages on.
 * Thread-safe.
 *
 * <p>Whoever uses a queue keeps it from being closed meanwhile, and must not wait for anything.
 */
final class OpenQueues {
  private static final Map<Path, Slot> OPEN = new ConcurrentHashMap<>();

  private OpenQueues() {}

  /** A queue, until it is to be closed. */
  private static final class Slot {
    private final RunningQueue<?> queue;
    private final ReentrantReadWriteLock use = new ReentrantReadWriteLock();

    @GuardedBy("use")
    private boolean closing;

    Slot(RunningQueue<?> queue) {
      this.queue = queue;
    }

    void close() {
      use.writeLock().lock();
      try {
        closing = true;
      } finally {
        use.writeLock().unlock();
      }
    }

    boolean use(Predicate<RunningQueue<?>> action) {
      if (!use.readLock().tryLock()) {
        return false;
      }
      try {
        return !closing && action.test(queue);
      } finally {
        use.readLock().unlock();
      }
    }
  }

  static void add(Path directory, RunningQueue<?> queue) {
    OPEN.put(key(directory), new Slot(queue));
  }

  /** Takes a queue out; nobody uses it when this returns. */
  static void remove(Path directory) {
    Slot slot = OPEN.remove(key(directory));
    if (slot != null) {
      slot.close();
    }
  }

  /** What the action says of the queue in this directory; false if none runs there. */
  static boolean use(Path directory, Predicate<RunningQueue<?>> action) {
    Slot slot = OPEN.get(key(directory));
    return slot != null && slot.use(action);
  }

  private static Path key(Path directory) {
    return directory.toAbsolutePath().normalize();
  }
}
