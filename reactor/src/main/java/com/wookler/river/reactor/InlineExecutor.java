package com.wookler.river.reactor;

import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.config.Configurable;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Has a reactor process its messages where they come from: on the threads on which futures
 * complete, those of the common pool, without threads of its own. For processors that are quick:
 * whoever else uses that pool waits for those that are not.
 *
 * <p>In XML: {@code <executor class="com.wookler.river.reactor.InlineExecutor"/>}, with the
 * parameters that an executor has without a class. {@code executor.pool.size} is how many batches
 * are processed at once.
 *
 * <p>Unlike {@code Runnable::run} it never runs processors on the thread that starts or resumes the
 * reactor, which would not come back while there are messages. Thread-safe.
 */
public final class InlineExecutor implements Executor, Configurable {
  private static final Executor FUTURES = new CompletableFuture<Void>().defaultExecutor();

  /** One is as good as another. */
  public InlineExecutor() {}

  @Override
  public void configure(ConfigNode node) {
    node.allowChildren(List.of("params"));
    node.allowParams(ReactorXml.EXECUTOR_PARAMS);
  }

  @Override
  public void execute(Runnable task) {
    task.run();
  }

  /** For threads from which no messages come. */
  static void elsewhere(Runnable task) {
    FUTURES.execute(task);
  }
}
