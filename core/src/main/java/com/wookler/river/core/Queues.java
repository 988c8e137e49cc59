package com.wookler.river.core;

import com.wookler.river.core.transfer.OpenQueues;
import java.util.Optional;

/** The queues that run in this JVM, by name, for those that know no more of a queue. */
public final class Queues {
  private Queues() {}

  /**
   * Returns the publisher of the queue of this name, or empty if none runs now. Its data has the
   * type that the queue's converter takes; the caller must know it.
   *
   * @throws com.wookler.river.common.errors.ConfigurationException several run, in different
   *     directories
   */
  @SuppressWarnings("unchecked")
  public static <M> Optional<Publisher<M>> publisher(String queue) {
    RunningQueue<M> running = (RunningQueue<M>) OpenQueues.named(queue);
    return running == null ? Optional.empty() : Optional.of(running.publisher());
  }
}
