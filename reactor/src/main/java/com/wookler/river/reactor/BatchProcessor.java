package com.wookler.river.reactor;

import com.wookler.river.core.subscriber.Delivery;
import java.util.List;

/**
 * Handles several messages at once, where that is cheaper; otherwise like {@link Processor}.
 *
 * @param <M> type of the data
 */
@FunctionalInterface
public interface BatchProcessor<M> {
  /**
   * Handles a batch.
   *
   * @param batch one message or more, in the order of delivery; unmodifiable
   * @return a result for each, in the same order; another number of them, or null among them, fails
   *     the whole batch
   * @throws Exception none of the messages could be handled
   */
  List<ProcessResult<M>> process(List<Delivery<M>> batch) throws Exception;

  /**
   * How many messages it handles together (default: as many as it is given). A processor that is
   * made around it gives it no more where it has to stop behind the first failure.
   */
  default int mostAtOnce() {
    return Integer.MAX_VALUE;
  }

  /**
   * A processor of single messages as one of batches, for processors that are made around others.
   * What it throws over one message concerns that message only: it is among the results. It is told
   * of its reactor, and closed, through this one.
   */
  static <M> BatchProcessor<M> of(Processor<M> processor) {
    return new OneByOne<>(processor, true);
  }
}
