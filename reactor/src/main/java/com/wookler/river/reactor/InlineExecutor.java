package com.wookler.river.reactor;

import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.config.Configurable;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Runs the processors of a reactor on the threads on which the messages' futures complete, those of
 * the common pool, so that the reactor has no threads of its own. Suitable for quick processors:
 * slow ones keep all other users of that pool waiting.
 *
 * <p>In XML: {@code <executor class="com.wookler.river.reactor.InlineExecutor"/>}, with the
 * parameters that an executor has without a class. {@code executor.pool.size} is the number of
 * batches that are processed at once.
 *
 * <p>Unlike {@code Runnable::run} it never runs processors on the thread that starts or resumes the
 * reactor, which would not return as long as there are messages. Thread-safe.
 */
public final class InlineExecutor implements Executor, Configurable {
  /** Parameters of an executor without a class of the user's. */
  static final List<String> PARAMS =
      List.of("executor.pool.size", "executor.batch.size", "executor.time.limit", "executor.order");

  private static final Executor FUTURES = new CompletableFuture<Void>().defaultExecutor();

  /** Creates an executor; all instances are alike. */
  public InlineExecutor() {}

  @Override
  public void configure(ConfigNode node) {
    node.allowChildren(List.of("params"));
    node.allowParams(PARAMS);
  }

  @Override
  public void execute(Runnable task) {
    task.run();
  }

  /** Runs a task on the common pool, for callers whose threads must not run processors. */
  static void executeInPool(Runnable task) {
    FUTURES.execute(task);
  }
}
