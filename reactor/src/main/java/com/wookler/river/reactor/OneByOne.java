package com.wookler.river.reactor;

import com.wookler.river.core.subscriber.Delivery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A processor of single messages as one of batches. What it throws over one message concerns that
 * message only. Once the reactor wants its thread to end, what is left of the batch is given back.
 */
final class OneByOne<M> implements BatchProcessor<M>, ReactorAware<M>, AutoCloseable {
  private final Processor<M> processor;
  private final boolean ignoring;

  /**
   * Wraps a processor.
   *
   * @param ignoring whether a message is finished over which it throws {@link
   *     NonFatalProcessorException}
   */
  OneByOne(Processor<M> processor, boolean ignoring) {
    this.processor = Objects.requireNonNull(processor, "processor");
    this.ignoring = ignoring;
  }

  @Override
  public List<ProcessResult<M>> process(List<Delivery<M>> batch) {
    List<ProcessResult<M>> results = new ArrayList<>(batch.size());
    for (Delivery<M> delivery : batch) {
      results.add(
          Thread.currentThread().isInterrupted() ? ProcessResult.release() : process(delivery));
    }
    return results;
  }

  private ProcessResult<M> process(Delivery<M> delivery) {
    try {
      return Objects.requireNonNull(processor.process(delivery), "the processor's result");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return ProcessResult.retry(Duration.ZERO); // it had begun
    } catch (NonFatalProcessorException e) {
      return ignoring ? ProcessResult.ignored(e) : ProcessResult.failed(e);
    } catch (Throwable e) { // an Error too: the batch's other messages have not caused it
      return ProcessResult.failed(e);
    }
  }

  @Override
  public int mostAtOnce() {
    return 1;
  }

  @Override
  @SuppressWarnings("unchecked") // a processor of these messages
  public void startIn(ReactorContext<M> reactor) {
    if (processor instanceof ReactorAware<?> aware) {
      ((ReactorAware<M>) aware).startIn(reactor);
    }
  }

  @Override
  public void close() {
    Closing.close(processor);
  }
}
