package com.wookler.river.forward;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.errors.RiverException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The queues that run in this JVM, by their directories, as targets of transfers. Thread-safe. A
 * queue is not closed while an action uses it: the action must not wait for anything.
 */
final class OpenQueues {
  private static final Map<Path, Slot> OPEN = new ConcurrentHashMap<>();

  private OpenQueues() {}

  /** A queue to which others may transfer messages until it is to be closed. */
  static final class Slot {
    private final OpenQueue queue;
    private final ReentrantReadWriteLock use = new ReentrantReadWriteLock();

    @GuardedBy("use")
    private boolean closing;

    @GuardedBy("use")
    private boolean ended;

    private volatile boolean used; // by others than its own publishers
    private volatile @Nullable Throwable failure; // of the last force; written before ended

    /** Prepares a queue, which no other finds before {@link #add}. */
    Slot(OpenQueue queue) {
      this.queue = queue;
    }

    /** Returns what the action returns for the queue; false if the queue is being closed. */
    boolean use(Predicate<OpenQueue> action) {
      if (!use.readLock().tryLock()) {
        return false;
      }
      try {
        if (closing) {
          return false;
        }
        used = true;
        return action.test(queue);
      } finally {
        use.readLock().unlock();
      }
    }

    /**
     * Forces what the queue took, also while it is being closed; on a thread that is never
     * interrupted. Fails if it may not be on the device, for good once the queue is closed.
     */
    void force() {
      use.readLock().lock();
      try {
        if (!ended) {
          long end = queue.log().nextSequence();
          queue.log().forceAppended();
          failure = queue.log().failure().orElse(null);
          if (failure == null && queue.log().forcedEnd() < end) {
            throw new RiverException("it cannot be forced now; trying again");
          }
        }
        if (failure != null) {
          throw new RiverException("the device refused: " + failure.getMessage(), failure);
        }
      } finally {
        use.readLock().unlock();
      }
    }

    private void close() {
      use.writeLock().lock();
      try {
        closing = true;
      } finally {
        use.writeLock().unlock();
      }
    }

    /** Forces what it took for the last time: nothing is appended any more, and the log is open. */
    void end() {
      Throwable failed = used ? lastForce() : null;
      use.writeLock().lock();
      try {
        failure = failed;
        ended = true;
      } finally {
        use.writeLock().unlock();
      }
    }

    private @Nullable Throwable lastForce() {
      try {
        queue.log().force();
        return null;
      } catch (RuntimeException e) { // which closing the log reports, too
        return e;
      }
    }
  }

  /** Adds a queue, so that others find it by its directory. */
  static void add(Path directory, Slot slot) {
    OPEN.put(key(directory), slot);
  }

  /** Removes a queue; no other transfers anything to it when this returns. */
  static void remove(Path directory, Slot slot) {
    if (OPEN.remove(key(directory), slot)) {
      slot.close();
    }
  }

  /** Returns the queue that runs in this directory; null if none does. */
  static @Nullable Slot find(Path directory) {
    return OPEN.get(key(directory));
  }

  /** Returns what the action returns for the queue in this directory; false if none runs there. */
  static boolean use(Path directory, Predicate<OpenQueue> action) {
    Slot slot = find(directory);
    return slot != null && slot.use(action);
  }

  private static Path key(Path directory) {
    return directory.toAbsolutePath().normalize();
  }
}
