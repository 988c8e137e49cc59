package com.wookler.river.reactor;

import com.wookler.river.core.subscriber.Delivery;
import java.util.List;

/** One step of a chain. Thread-safe: all of a reactor's threads run the same. */
interface Stage<M> extends AutoCloseable {
  /**
   * Handles a batch: decides over messages, and returns those that go on. Throws nothing that a
   * user's code throws.
   *
   * @param batch one message or more, unmodifiable
   * @param outcomes where to decide; of this batch alone
   * @return may be empty
   */
  List<Delivery<M>> run(List<Delivery<M>> batch, Outcomes<M> outcomes);

  /** Called once, before the first batch. What it throws keeps the reactor from starting. */
  default void start() {}

  /** Ends what it was given to use; called once, when no thread runs it any more. */
  @Override
  default void close() {}
}
