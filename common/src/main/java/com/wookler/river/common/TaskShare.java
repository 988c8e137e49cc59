package com.wookler.river.common;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A share in a task manager that River's own parts run their tasks on: that of the {@link Env}, or
 * one that all of them in the JVM share and that ends with the last share. Thread-safe.
 */
public final class TaskShare implements AutoCloseable {
  private static final Object LOCK = new Object();

  @GuardedBy("LOCK")
  private static final Map<Key, Shared> SHARED = new HashMap<>();

  private final TaskManager manager;
  private final @Nullable Key key; // null: the environment's

  /** Which one it is; clocks are told apart as objects. */
  private record Key(String name, Object of, TimeSource time) {}

  /** One that River made. */
  private static final class Shared {
    final TaskManager manager;

    @GuardedBy("LOCK")
    int users;

    Shared(TaskManager manager) {
      this.manager = manager;
    }
  }

  private TaskShare(TaskManager manager, @Nullable Key key) {
    this.manager = manager;
    this.key = key;
  }

  /**
   * A share in the environment's, or, without one, in a single-threaded one; to be closed by its
   * owner after its tasks were removed.
   */
  public static TaskShare acquire() {
    Optional<Env> env = Env.find(); // once: it may be shut down meanwhile
    return env.isPresent()
        ? new TaskShare(env.get().taskmanager(), null)
        : shared(
            new Key("RIVER", "RIVER", TimeSource.system()),
            () -> new TaskManager("RIVER", 1, TimeSource.system()));
  }

  /**
   * A share in the one of this name, thing and clock, whatever environment there is: for tasks that
   * must not wait for others. To be closed likewise.
   *
   * @param name its threads are called {@code RIVER-<name>-<m>}
   * @param of what its tasks have in common, and those of another have not
   * @param threads how many it gets if this call makes it
   * @param time by which it waits
   */
  public static TaskShare acquire(String name, Object of, int threads, TimeSource time) {
    return shared(
        new Key(name, of, time), () -> new TaskManager(name, threads, time, "RIVER-" + name + "-"));
  }

  private static TaskShare shared(Key key, Supplier<TaskManager> maker) {
    synchronized (LOCK) {
      Shared shared = SHARED.get(key);
      if (shared == null) {
        shared = new Shared(maker.get());
        SHARED.put(key, shared);
      }
      shared.users++;
      return new TaskShare(shared.manager, key);
    }
  }

  /** Where to add tasks. */
  public TaskManager manager() {
    return manager;
  }

  /** Gives the share back. */
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
