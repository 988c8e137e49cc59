package com.wookler.river.reactor;

import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Gives the processor of one stage, and those within it, access to their reactor. Where one of them
 * is asynchronous, the stage counts the results that come later. Thread-safe.
 */
final class StageContext<M> implements ReactorContext<M> {
  private final ReactorRuntime<M> runtime;
  private final BiConsumer<Delivery<M>, ProcessResult<M>> counting;
  private volatile boolean isAsync; // set before the first message

  /**
   * Creates the context of a stage.
   *
   * @param counting counts a result that comes later, and logs its exception
   */
  StageContext(ReactorRuntime<M> runtime, BiConsumer<Delivery<M>, ProcessResult<M>> counting) {
    this.runtime = runtime;
    this.counting = counting;
  }

  ReactorRuntime<M> runtime() {
    return runtime;
  }

  /** Makes the stage count results when they come, and not when they are put off. */
  void setAsync() {
    isAsync = true;
  }

  boolean isAsync() {
    return isAsync;
  }

  @Override
  public Subscriber<M> subscriber() {
    return runtime.subscriber();
  }

  @Override
  public void decide(List<Delivery<M>> deliveries, List<ProcessResult<M>> results) {
    for (int i = 0; isAsync && i < Math.min(deliveries.size(), results.size()); i++) {
      if (!results.get(i).isLater()) {
        counting.accept(deliveries.get(i), results.get(i));
      }
    }
    runtime.decide(deliveries, results);
  }

  @Override
  public boolean run(List<Delivery<M>> batch, Runnable work) {
    return runtime.run(batch, work);
  }
}
