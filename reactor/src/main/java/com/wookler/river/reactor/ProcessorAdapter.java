package com.wookler.river.reactor;

import com.wookler.river.core.subscriber.Delivery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Adapts a processor of single messages to one of batches. An exception fails only the message that
 * was processed. When the reactor has interrupted the thread, or the exception pauses the
 * subscriber, the rest of the batch is released.
 */
final class ProcessorAdapter<M> implements BatchProcessor<M>, ReactorAware<M>, AutoCloseable {
  private final Processor<M> processor;
  private final boolean ignoring;
  private final Processor<M> called; // the processor, or what is around it
  private volatile FailurePolicies policies = FailurePolicies.NONE; // those of its reactor

  /**
   * Creates an adapter.
   *
   * @param ignoring whether a message for which the processor throws {@link
   *     NonFatalProcessorException} is acknowledged; if not, it fails
   */
  ProcessorAdapter(Processor<M> processor, boolean ignoring) {
    this(processor, ignoring, processor);
  }

  private ProcessorAdapter(Processor<M> processor, boolean ignoring, Processor<M> called) {
    this.processor = Objects.requireNonNull(processor, "processor");
    this.ignoring = ignoring;
    this.called = called;
  }

  /** Returns an adapter that calls the processor through an interceptor. */
  ProcessorAdapter<M> around(String name, ProcessorInterceptor<M> interceptor) {
    return new ProcessorAdapter<>(
        processor, ignoring, delivery -> interceptor.around(name, delivery, processor));
  }

  @Override
  public List<ProcessResult<M>> process(List<Delivery<M>> batch) {
    List<ProcessResult<M>> results = new ArrayList<>(batch.size());
    boolean pauses = false;
    for (Delivery<M> delivery : batch) {
      boolean skipped = pauses || Thread.currentThread().isInterrupted();
      ProcessResult<M> result = skipped ? ProcessResult.release() : process(delivery);
      pauses |= policies.pauses(result);
      results.add(result);
    }
    return results;
  }

  private ProcessResult<M> process(Delivery<M> delivery) {
    try {
      return Objects.requireNonNull(called.process(delivery), "the processor's result");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return ProcessResult.retry(Duration.ZERO); // the attempt counts
    } catch (NonFatalProcessorException e) {
      return ignoring ? ProcessResult.ignored(e) : ProcessResult.failed(e);
    } catch (Throwable e) { // an Error too: it must not fail the other messages
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
    ReactorRuntime<M> runtime = ReactorRuntime.of(reactor);
    if (runtime != null) {
      policies = runtime.policies();
    }
    if (processor instanceof ReactorAware<?> aware) {
      ((ReactorAware<M>) aware).startIn(reactor);
    }
  }

  @Override
  public void close() {
    Closeables.closeAndLog(processor);
  }
}
