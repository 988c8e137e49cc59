package com.wookler.river.reactor;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.subscriber.Delivery;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Adapts an asynchronous processor to one of batches: begins messages, at most a number at once,
 * and passes on the result of each when its stage completes. Works in one reactor at a time; a
 * stage has an adapter of its own. Thread-safe.
 */
final class AsyncAdapter<M> implements BatchProcessor<M>, ReactorAware<M>, AutoCloseable {
  static final int MOST_BY_DEFAULT = 100;

  private final AsyncProcessor<M> processor;
  private final boolean ignoring;
  private final int most;
  private final AsyncProcessor<M> called; // the processor, or what is around it
  private final AtomicInteger refused = new AtomicInteger(); // starts of which no close has come
  private volatile @Nullable AsyncStages<M> stages; // of the reactor that was started last

  /**
   * Creates an adapter.
   *
   * @param ignoring as in {@link ProcessorAdapter}
   * @param most how many messages may have begun and not ended
   */
  AsyncAdapter(AsyncProcessor<M> processor, boolean ignoring, int most) {
    this(processor, ignoring, most, processor);
    if (most < 1) {
      throw new IllegalArgumentException(most + " messages at once; it must be 1 or more");
    }
  }

  private AsyncAdapter(
      AsyncProcessor<M> processor, boolean ignoring, int most, AsyncProcessor<M> called) {
    this.processor = Objects.requireNonNull(processor, "processor");
    this.ignoring = ignoring;
    this.most = most;
    this.called = called;
  }

  /**
   * Returns an adapter of the same processor for one stage.
   *
   * @param interceptor around the processor; null: none
   */
  AsyncAdapter<M> forStage(String name, @Nullable ProcessorInterceptor<M> interceptor) {
    return new AsyncAdapter<>(
        processor,
        ignoring,
        most,
        interceptor == null
            ? processor
            : delivery -> interceptor.aroundAsync(name, delivery, processor));
  }

  @Override
  public void startIn(ReactorContext<M> reactor) {
    startIn(reactor, UnaryOperator.identity());
  }

  /**
   * Starts the processor in a reactor.
   *
   * @param judge gets one result for each message, and returns the result that is applied
   */
  @SuppressWarnings("unchecked") // a processor of these messages
  void startIn(ReactorContext<M> reactor, UnaryOperator<ProcessResult<M>> judge) {
    if (reactor instanceof StageContext<M> stage) {
      stage.setAsync();
    }
    ReactorRuntime<M> runtime = ReactorRuntime.of(reactor);
    AsyncStages<M> present = stages;
    if (present != null && !present.isOver()) {
      if (present.isOf(runtime)) {
        return;
      }
      refused.incrementAndGet();
      throw new ConfigurationException(
          "the reactor of "
              + reactor.subscriber().name()
              + " has an asynchronous processor within another one that is in a reactor already;"
              + " create one for each reactor");
    }
    AsyncStages<M> begun = new AsyncStages<>(called, ignoring, most, reactor, judge);
    stages = begun;
    if (runtime != null) {
      runtime.add(begun);
    }
    if (processor instanceof ReactorAware<?> aware) {
      ((ReactorAware<M>) aware).startIn(reactor);
    }
  }

  @Override
  public List<ProcessResult<M>> process(List<Delivery<M>> batch) {
    AsyncStages<M> present = Objects.requireNonNull(stages, "works in a reactor only");
    List<ProcessResult<M>> results = new ArrayList<>(batch.size());
    for (Delivery<M> delivery : batch) {
      results.add(present.begin(delivery));
    }
    return results;
  }

  @Override
  public int mostAtOnce() {
    return 1;
  }

  /** Closes the processor, unless it is in another reactor than in the one that is closed. */
  @Override
  public void close() {
    if (refused.getAndUpdate(starts -> Math.max(0, starts - 1)) == 0) {
      Closeables.closeAndLog(processor);
    }
  }
}
