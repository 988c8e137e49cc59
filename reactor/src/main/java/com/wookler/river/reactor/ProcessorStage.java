package com.wookler.river.reactor;

import com.wookler.river.common.utils.Amount;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.subscriber.Delivery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs a processor, counts its messages, and passes its results to the handler. */
final class ProcessorStage<M> implements Stage<M> {
  private final String name;
  private final BatchProcessor<M> processor;
  private final BatchProcessor<M> called; // the processor, or what is around it
  private final ProcessorCounters counters;
  private final StageContext<M> context;
  private final FailureLog failures;

  ProcessorStage(
      String name,
      BatchProcessor<M> processor,
      @Nullable ProcessorInterceptor<M> interceptor,
      ProcessorCounters counters,
      ReactorRuntime<M> runtime) {
    this.name = name;
    if (processor instanceof AsyncAdapter<M> async) {
      this.processor = async.forStage(name, interceptor);
    } else if (interceptor != null && processor instanceof ProcessorAdapter<M> single) {
      this.processor = single.around(name, interceptor);
    } else {
      this.processor = processor;
    }
    this.called =
        interceptor == null || this.processor != processor
            ? this.processor
            : batch -> interceptor.aroundBatch(name, batch, processor);
    this.counters = counters;
    this.context = new StageContext<>(runtime, this::count);
    this.failures = new FailureLog(name);
  }

  @Override
  public List<Delivery<M>> run(List<Delivery<M>> batch, ResultHandler<M> handler) {
    long started = counters.started();
    List<ProcessResult<M>> results = process(batch);
    counters.ended(started, batch.size());
    List<Delivery<M>> passed = new ArrayList<>(batch.size());
    int success = 0;
    int failed = 0;
    for (int i = 0; i < batch.size(); i++) {
      ProcessResult<M> result = results.get(i);
      take(batch.get(i), result, passed, handler);
      if (result.kind() == ProcessResult.Kind.LATER && context.isAsync()) {
        continue; // counted when it has ended
      }
      success += result.isSuccess() ? 1 : 0;
      failed += result.isFailure() ? 1 : 0;
    }
    counters.results(success, failed);
    return passed;
  }

  private List<ProcessResult<M>> process(List<Delivery<M>> batch) {
    try {
      List<ProcessResult<M>> results =
          List.copyOf(called.process(Collections.unmodifiableList(batch)));
      if (results.size() == batch.size()) {
        return results;
      }
      return all(
          batch,
          ProcessResult.failed(
              new IllegalStateException(
                  "processor "
                      + name
                      + " returned "
                      + Amount.of(results.size(), "result")
                      + " for "
                      + Amount.of(batch.size(), "message"))));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return all(batch, ProcessResult.retry(Duration.ZERO)); // the attempt counts
    } catch (Throwable e) { // an Error too: it fails these messages, and ends the thread after them
      return all(batch, ProcessResult.failed(e));
    }
  }

  private static <M> List<ProcessResult<M>> all(List<?> batch, ProcessResult<M> result) {
    return Collections.nCopies(batch.size(), result);
  }

  private void take(
      Delivery<M> delivery,
      ProcessResult<M> result,
      List<Delivery<M>> passed,
      ResultHandler<M> handler) {
    noteCause(delivery, result);
    switch (result.kind()) {
      case PASS -> pass(delivery, result.messages(), passed);
      case LATER -> {} // the processor completes it
      default -> handler.handle(delivery, result);
    }
  }

  private void noteCause(Delivery<M> delivery, ProcessResult<M> result) {
    Throwable cause = result.cause();
    if (cause != null) {
      counters.exception();
      failures.log(delivery, cause);
    }
  }

  /** Counts a result that comes later, where an asynchronous processor is there. */
  private void count(Delivery<M> delivery, ProcessResult<M> result) {
    noteCause(delivery, result);
    counters.results(result.isSuccess() ? 1 : 0, result.isFailure() ? 1 : 0);
  }

  private void pass(
      Delivery<M> delivery, @Nullable List<Message<M>> messages, List<Delivery<M>> passed) {
    if (messages == null) {
      passed.add(delivery);
      return;
    }
    SplitResult<M> combined = new SplitResult<>(delivery, messages.size());
    for (int i = 0; i < messages.size(); i++) {
      passed.add(new ReplacementDelivery<>(combined, i, messages.get(i), this::decide));
    }
  }

  /** Applies at once what a method of a replacement's means. */
  private void decide(Delivery<M> delivery, ProcessResult<M> result) {
    context.runtime().decide(List.of(delivery), List.of(result));
  }

  @Override
  @SuppressWarnings("unchecked") // a processor of these messages
  public void start() {
    if (processor instanceof ReactorAware<?> aware) {
      ((ReactorAware<M>) aware).startIn(context);
    }
  }

  @Override
  public void close() {
    Closeables.closeAndLog(processor);
  }
}
