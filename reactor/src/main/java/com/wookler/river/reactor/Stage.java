package com.wookler.river.reactor;

import com.wookler.river.core.subscriber.Delivery;
import java.util.List;

/** One step of a chain. Thread-safe: all threads of a reactor run the same stage. */
interface Stage<M> extends AutoCloseable {
  /**
   * Processes a batch: completes some of its messages, and returns those for the next stage. Throws
   * nothing that the user's code throws.
   *
   * @param batch one message or more, unmodifiable
   * @param handler handles the results of this batch alone
   * @return the messages for the next stage, possibly none
   */
  List<Delivery<M>> run(List<Delivery<M>> batch, ResultHandler<M> handler);

  /** Starts the stage, once, before the first batch. If it throws, the reactor does not start. */
  default void start() {}

  /** Closes what the user gave the stage, once, when no thread runs it any more. */
  @Override
  default void close() {}
}
