package com.wookler.river.reactor;

import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.util.List;

/**
 * Gives a processor access to its reactor. Thread-safe.
 *
 * @param <M> type of the data
 */
public interface ReactorContext<M> {
  /** Returns the subscriber from which the reactor takes messages. */
  Subscriber<M> subscriber();

  /**
   * Completes messages for which the processor has returned {@link ProcessResult#later}. Their
   * acknowledgements take one lock together, and one force (fsync) if acknowledgements are forced.
   * A result that comes too late has no effect.
   *
   * @param results one for each message, in the same order; {@link ProcessResult#pass} acknowledges
   */
  void decide(List<Delivery<M>> deliveries, List<ProcessResult<M>> results);

  /**
   * Runs work for messages for which the processor has returned {@link ProcessResult#later}. The
   * work runs on the calling thread, which the processor has started. As on the reactor's own
   * threads, it is logged when it takes longer than the time limit, and closing the reactor waits
   * for it and interrupts it.
   *
   * @param batch one message or more
   * @return whether the work was run; false if the reactor is closed
   */
  boolean run(List<Delivery<M>> batch, Runnable work);
}
