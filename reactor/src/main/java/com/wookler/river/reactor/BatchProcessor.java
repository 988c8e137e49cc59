package com.wookler.river.reactor;

import com.wookler.river.core.subscriber.Delivery;
import java.util.List;

/**
 * Processes several messages at once, where that is cheaper; otherwise like {@link Processor}.
 *
 * @param <M> type of the data
 */
@FunctionalInterface
public interface BatchProcessor<M> {
  /**
   * Processes a batch.
   *
   * @param batch one message or more, in the order of delivery; unmodifiable
   * @return one result for each message, in the same order; with another number of results, or a
   *     null among them, the whole batch fails
   * @throws Exception none of the messages could be processed; all of them fail
   */
  List<ProcessResult<M>> process(List<Delivery<M>> batch) throws Exception;

  /**
   * Returns the largest number of messages that the processor processes together (default: no
   * limit). A processor that contains this one passes it no more at once if it has to stop after
   * the first failure.
   */
  default int mostAtOnce() {
    return Integer.MAX_VALUE;
  }

  /**
   * Adapts a processor of single messages, for processors that contain other ones. An exception
   * fails only the message that was processed, and is part of the results. The adapter starts the
   * processor in its reactor and closes it.
   */
  static <M> BatchProcessor<M> of(Processor<M> processor) {
    return new ProcessorAdapter<>(processor, true);
  }

  /**
   * Adapts an asynchronous processor, for a route of a selector or a processor that contains other
   * ones; the last of its chain. Within another processor it works in one reactor at a time; a
   * second one does not start.
   *
   * @param maxInFlight how many messages may have begun and not ended, in each reactor
   */
  static <M> BatchProcessor<M> ofAsync(AsyncProcessor<M> processor, int maxInFlight) {
    return new AsyncAdapter<>(processor, true, maxInFlight);
  }
}
