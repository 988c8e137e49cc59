package com.wookler.river.common;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A reference-counted task manager for River's own tasks: that of the {@link Env}, or one that is
 * shared in the JVM and closed with its last reference. Thread-safe.
 */
public final class SharedTaskManager implements AutoCloseable {
  private static final Object LOCK = new Object();

  @GuardedBy("LOCK")
  private static final Map<Key, Shared> SHARED = new HashMap<>();

  private final TaskManager manager;
  private final @Nullable Key key; // null: the environment's

  /** Identifies a shared task manager; clocks are compared by identity. */
  private record Key(String name, Object of, TimeSource time) {}

  /** A task manager and the number of its references. */
  private static final class Shared {
    final TaskManager manager;

    @GuardedBy("LOCK")
    int users;

    Shared(TaskManager manager) {
      this.manager = manager;
    }
  }

  private SharedTaskManager(TaskManager manager, @Nullable Key key) {
    this.manager = manager;
    this.key = key;
  }

  /**
   * Acquires the environment's task manager or, if there is no environment, a shared one with a
   * single thread. The caller closes the reference after it has removed its tasks.
   */
  public static SharedTaskManager acquire() {
    Optional<Env> env = Env.find(); // once: it may be shut down meanwhile
    return env.isPresent()
        ? new SharedTaskManager(env.get().taskmanager(), null)
        : shared(
            new Key("RIVER", "RIVER", TimeSource.system()),
            () -> new TaskManager("RIVER", 1, TimeSource.system()));
  }

  /**
   * Acquires the task manager for what has this clock: that of {@link #acquire()}, unless the clock
   * is stepped and has one of its own.
   */
  public static SharedTaskManager acquire(TimeSource time) {
    return time instanceof SteppedTimeSource stepped
        ? new SharedTaskManager(stepped.tasks(), null)
        : acquire();
  }

  /**
   * Acquires the shared task manager of a name, group and clock, independently of the environment,
   * for tasks that must not wait for others. The caller closes the reference after it has removed
   * its tasks.
   *
   * @param name its threads are called {@code RIVER-<name>-<m>}
   * @param of the group that shares the task manager, compared by {@code equals}
   * @param threads number of threads, if this call creates the task manager
   * @param time the clock that it waits on; one that is stepped has its own task manager
   */
  public static SharedTaskManager acquire(String name, Object of, int threads, TimeSource time) {
    if (time instanceof SteppedTimeSource) {
      return acquire(time);
    }
    return shared(
        new Key(name, of, time), () -> new TaskManager(name, threads, time, "RIVER-" + name + "-"));
  }

  private static SharedTaskManager shared(Key key, Supplier<TaskManager> maker) {
    synchronized (LOCK) {
      Shared shared = SHARED.get(key);
      if (shared == null) {
        shared = new Shared(maker.get());
        SHARED.put(key, shared);
      }
      shared.users++;
      return new SharedTaskManager(shared.manager, key);
    }
  }

  /** Returns the task manager. */
  public TaskManager manager() {
    return manager;
  }

  /** Releases the reference. */
  @Override
  public void close() {
    if (key == null) {
      return;
    }
    boolean last;
    synchronized (LOCK) {
      Shared shared = Objects.requireNonNull(SHARED.get(key));
      last = --shared.users == 0;
      if (last) {
        SHARED.remove(key);
      }
    }
    if (last) {
      manager.close();
    }
  }
}
