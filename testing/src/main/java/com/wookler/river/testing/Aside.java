package com.wookler.river.testing;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * Runs what may wait, each on a thread of its own. On a machine of two cores the pool that
 * CompletableFuture uses from Java 25 on has one thread: a task that waits there keeps the next
 * from its start.
 */
public final class Aside {
  private static final Executor THREADS =
      task -> {
        Thread thread = new Thread(task, "aside");
        thread.setDaemon(true);
        thread.start();
      };

  private Aside() {}

  /** Starts it; the future has its end, or why it failed. */
  public static CompletableFuture<Void> run(Runnable task) {
    return CompletableFuture.runAsync(task, THREADS);
  }

  /** Starts it; the future has its answer, or why it failed. */
  public static <T> CompletableFuture<T> supply(Supplier<T> task) {
    return CompletableFuture.supplyAsync(task, THREADS);
  }
}
