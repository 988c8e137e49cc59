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
}
