package com.wookler.river.reactor;

import com.wookler.river.core.subscriber.Delivery;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Creates the stages of a reactor that is being built.
 *
 * @param runtime the reactor for which the stages are created
 * @param counters the counters of the processors for which a stage was created; the factory adds to
 *     them
 * @param interceptor runs around the processors; null: none does
 */
record StageFactory<M>(
    ReactorRuntime<M> runtime,
    List<ProcessorCounters> counters,
    @Nullable ProcessorInterceptor<M> interceptor) {
  /** Creates the stage that runs a processor, and its counters. */
  Stage<M> processor(String name, BatchProcessor<M> processor) {
    ProcessorCounters counted = new ProcessorCounters(name, runtime.subscriber(), runtime.time());
    counters.add(counted);
    return new ProcessorStage<>(name, processor, interceptor, counted, runtime);
  }

  /** Creates the stage that accepts messages by a predicate. */
  Stage<M> filter(Predicate<? super Delivery<M>> filter) {
    return new FilterStage<>(filter, runtime.counters());
  }

  /** Creates the stage of a selector, with one stage for each of its processors. */
  Stage<M> selector(Selector<M> selector) {
    List<SelectorStage.Path<M>> paths = new ArrayList<>();
    for (Selector.Route<M> route : selector.routes()) {
      paths.add(new SelectorStage.Path<>(route.accepts(), processor(route.processor())));
    }
    Selector.Named<M> otherwise = selector.otherwise();
    if (otherwise != null) {
      paths.add(new SelectorStage.Path<>(any -> true, processor(otherwise)));
    }
    return new SelectorStage<>(paths, runtime.counters());
  }

  private Stage<M> processor(Selector.Named<M> named) {
    return processor(named.name(), named.processor());
  }
}
