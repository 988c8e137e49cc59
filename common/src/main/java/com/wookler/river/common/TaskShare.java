package com.wookler.river.common;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The task manager that River's own parts run their tasks on: that of the {@link Env}, or, without
 * one, a single-threaded one that all of them in the JVM share and that ends with the last share.
 */
public final class TaskShare implements AutoCloseable {
  private static final Object LOCK = new Object();

  @GuardedBy("LOCK")
  private static @Nullable TaskManager own;

  @GuardedBy("LOCK")
  private static int users;

  private final TaskManager manager;
  private final boolean isOwn;

  private TaskShare(TaskManager manager, boolean isOwn) {
    this.manager = manager;
    this.isOwn = isOwn;
  }

  /** A share, to be closed by its owner after its tasks were removed. */
  public static TaskShare acquire() {
    Optional<Env> env = Env.find(); // once: it may be shut down meanwhile
    if (env.isPresent()) {
      return new TaskShare(env.get().taskmanager(), false);
    }
    synchronized (LOCK) {
      TaskManager shared = own;
      if (shared == null) {
        shared = new TaskManager("RIVER", 1, TimeSource.system());
        own = shared;
      }
      users++;
      return new TaskShare(shared, true);
    }
  }

  /** Where to add tasks. */
  public TaskManager manager() {
    return manager;
  }

  /** Gives the share back. */
  @Override
  public void close() {
    if (!isOwn) {
      return;
    }
    TaskManager ended = null;
    synchronized (LOCK) {
      if (--users == 0) {
        ended = own;
        own = null;
      }
    }
    if (ended != null) {
      ended.close();
    }
  }
}
