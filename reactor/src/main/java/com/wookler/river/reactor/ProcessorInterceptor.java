package com.wookler.river.reactor;

import com.wookler.river.core.subscriber.Delivery;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Runs around each call of a reactor's processors: for spans of a trace, a logging context, a
 * transaction. Set by {@link Reactor.Builder#around}; thread-safe.
 *
 * @param <M> type of the data
 */
@FunctionalInterface
public interface ProcessorInterceptor<M> {
  /**
   * Calls a processor for a message, and returns its result or another one. What it throws counts
   * as thrown by the processor.
   *
   * @param processor the name of the processor
   */
  ProcessResult<M> around(String processor, Delivery<M> delivery, Processor<M> call)
      throws Exception;

  /** Calls a {@link BatchProcessor} for a batch; without a definition, nothing is around it. */
  default List<ProcessResult<M>> aroundBatch(
      String processor, List<Delivery<M>> batch, BatchProcessor<M> call) throws Exception {
    return call.process(batch);
  }

  /**
   * Calls an {@link AsyncProcessor} for a message, and returns its stage or another one; without a
   * definition, nothing is around it. One that is within another processor is called as a part of
   * that one.
   */
  default CompletionStage<ProcessResult<M>> aroundAsync(
      String processor, Delivery<M> delivery, AsyncProcessor<M> call) throws Exception {
    return call.process(delivery);
  }

  /** Returns an interceptor that has another one within it. */
  default ProcessorInterceptor<M> andThen(ProcessorInterceptor<M> inner) {
    ProcessorInterceptor<M> outer = this;
    return new ProcessorInterceptor<>() {
      @Override
      public ProcessResult<M> around(String processor, Delivery<M> delivery, Processor<M> call)
          throws Exception {
        return outer.around(processor, delivery, one -> inner.around(processor, one, call));
      }

      @Override
      public List<ProcessResult<M>> aroundBatch(
          String processor, List<Delivery<M>> batch, BatchProcessor<M> call) throws Exception {
        return outer.aroundBatch(processor, batch, all -> inner.aroundBatch(processor, all, call));
      }

      @Override
      public CompletionStage<ProcessResult<M>> aroundAsync(
          String processor, Delivery<M> delivery, AsyncProcessor<M> call) throws Exception {
        return outer.aroundAsync(
            processor, delivery, one -> inner.aroundAsync(processor, one, call));
      }
    };
  }
}
