package com.wookler.river.core;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The queues that run in this JVM, by their directories, for those that hand messages on.
 * Thread-safe.
 *
 * <p>Whoever uses a queue keeps it from being closed meanwhile, and must not wait for anything.
 */
final class OpenQueues {
  private static final Map<Path, Slot> OPEN = new ConcurrentHashMap<>();

  private OpenQueues() {}

  /** A queue that others may hand messages to, until it is to be closed. */
  static final class Slot {
    private final OpenQueue queue;
    private final ReentrantReadWriteLock use = new ReentrantReadWriteLock();

    @GuardedBy("use")
    private boolean closing;

    @GuardedBy("use")
    private boolean ended;

    private volatile boolean used; // by others than its own publishers
    private volatile @Nullable Throwable failure; // of the last force; written before ended

    Slot(OpenQueue queue) {
      this.queue = queue;
    }

    /** What the action says of the queue; false if it is being closed. */
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
     * Brings to the device what was handed to the queue, also while it is being closed; on a thread
     * that nobody interrupts.
     *
     * @throws RiverException it may not be there, and that stays so if the queue was closed then
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

    /** The last call, when nothing is appended any more and the log is there still. */
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
      } catch (RuntimeException e) { // which closing the log tells, too
        return e;
      }
    }
  }

  static void add(Path directory, Slot slot) {
    OPEN.put(key(directory), slot);
  }

  /** Takes a queue out; nobody hands anything to it when this returns. */
  static void remove(Path directory) {
    Slot slot = OPEN.remove(key(directory));
    if (slot != null) {
      slot.close();
    }
  }

  /** The queue that runs in this directory, if one does. */
  static @Nullable Slot find(Path directory) {
    return OPEN.get(key(directory));
  }

  /** What the action says of the queue in this directory; false if none runs there. */
  static boolean use(Path directory, Predicate<OpenQueue> action) {
    Slot slot = find(directory);
    return slot != null && slot.use(action);
  }

  /**
   * The publisher of the queue of this name; null if none runs.
   *
   * @throws ConfigurationException there are several, in different directories
   */
  static @Nullable LogPublisher<?> publisher(String name) {
    List<Path> found = new ArrayList<>();
    LogPublisher<?> publisher = null;
    for (Map.Entry<Path, Slot> open : OPEN.entrySet()) {
      if (open.getValue().queue.name().equals(name)) {
        found.add(open.getKey());
        publisher = open.getValue().queue.publisher();
      }
    }
    if (found.size() > 1) {
      throw new ConfigurationException("several queues of the name " + name + " run: " + found);
    }
    return publisher;
  }

  private static Path key(Path directory) {
    return directory.toAbsolutePath().normalize();
  }
}
