package com.wookler.river.reactor;

import com.wookler.river.core.subscriber.Delivery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Adapts an asynchronous processor to one of batches: begins messages, at most a number at once,
 * and passes on the result of each when its stage completes. Thread-safe.
 */
final class AsyncAdapter<M> implements BatchProcessor<M>, ReactorAware<M>, AutoCloseable {
  static final int MOST_BY_DEFAULT = 100;

  private final AsyncProcessor<M> processor;
  private final boolean ignoring;
  private final int most;
  private final Semaphore permits; // one for each message that may begin
  private volatile int allowed; // fewer than most if messages are processed one at a time
  private volatile @Nullable BiConsumer<Delivery<M>, ProcessResult<M>> target;

  /**
   * Creates an adapter.
   *
   * @param ignoring as in {@link ProcessorAdapter}
   * @param most how many messages may have begun and not ended
   */
  AsyncAdapter(AsyncProcessor<M> processor, boolean ignoring, int most) {
    if (most < 1) {
      throw new IllegalArgumentException(most + " messages at once; it must be 1 or more");
    }
    this.processor = Objects.requireNonNull(processor, "processor");
    this.ignoring = ignoring;
    this.most = most;
    this.allowed = most;
    this.permits = new Semaphore(most, true);
  }

  /** Sets what gets the results that come later; without, the reactor applies them. */
  void resultsTo(BiConsumer<Delivery<M>, ProcessResult<M>> results) {
    target = results;
  }

  @Override
  @SuppressWarnings("unchecked") // a processor of these messages
  public void startIn(ReactorContext<M> reactor) {
    if (target == null) { // it is within another processor
      resultsTo((delivery, result) -> reactor.decide(List.of(delivery), List.of(result)));
    }
    if (reactor instanceof ReactorRuntime<M> runtime && runtime.oneAtATime()) {
      permits.acquireUninterruptibly(most - 1);
      allowed = 1;
    }
    if (processor instanceof ReactorAware<?> aware) {
      ((ReactorAware<M>) aware).startIn(reactor);
    }
  }

  @Override
  public List<ProcessResult<M>> process(List<Delivery<M>> batch) {
    List<ProcessResult<M>> results = new ArrayList<>(batch.size());
    for (Delivery<M> delivery : batch) {
      results.add(begin(delivery));
    }
    return results;
  }

  private ProcessResult<M> begin(Delivery<M> delivery) {
    try {
      permits.acquire();
    } catch (InterruptedException e) { // the reactor is being closed
      Thread.currentThread().interrupt();
      return ProcessResult.release();
    }
    CompletionStage<ProcessResult<M>> stage;
    try {
      stage = Objects.requireNonNull(processor.process(delivery), "the processor's stage");
    } catch (InterruptedException e) {
      permits.release();
      Thread.currentThread().interrupt();
      return ProcessResult.retry(Duration.ZERO); // the attempt counts
    } catch (Throwable e) { // an Error too: it must not fail the other messages
      permits.release();
      return failed(e);
    }
    var unused = stage.whenComplete((result, thrown) -> completed(delivery, result, thrown));
    return ProcessResult.later();
  }

  private void completed(
      Delivery<M> delivery, @Nullable ProcessResult<M> result, @Nullable Throwable thrown) {
    try {
      Objects.requireNonNull(target, "target").accept(delivery, result(result, thrown));
    } finally {
      permits.release();
    }
  }

  private ProcessResult<M> result(@Nullable ProcessResult<M> result, @Nullable Throwable thrown) {
    if (thrown != null) {
      Throwable cause = thrown.getCause();
      boolean wraps = thrown instanceof CompletionException || thrown instanceof ExecutionException;
      return failed(wraps && cause != null ? cause : thrown);
    }
    return result == null
        ? ProcessResult.failed(new NullPointerException("the stage completed with null"))
        : result;
  }

  private ProcessResult<M> failed(Throwable e) {
    return ignoring && e instanceof NonFatalProcessorException
        ? ProcessResult.ignored(e)
        : ProcessResult.failed(e);
  }

  @Override
  public int mostAtOnce() {
    return 1;
  }

  /**
   * Waits for the stages of all messages that have begun, and lets none begin afterwards.
   *
   * @return whether they have completed in time
   */
  boolean awaitStages(long nanos) {
    int all = allowed;
    if (all == 0) {
      return true; // they have ended before
    }
    try {
      boolean ended = permits.tryAcquire(all, nanos, TimeUnit.NANOSECONDS);
      allowed = ended ? 0 : all;
      return ended;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public void close() {
    Closeables.closeAndLog(processor);
  }
}
