package com.wookler.river.reactor;

import com.wookler.river.common.TimeSource;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes the stages of a reactor that is being built.
 *
 * @param home what they share
 * @param time clock
 * @param counters those of the processors made so far
 */
record Assembly<M>(Home<M> home, TimeSource time, List<ProcessorCounters> counters) {

  Stage<M> stage(String name, BatchProcessor<M> processor) {
    ProcessorCounters counted = new ProcessorCounters(name, time);
    counters.add(counted);
    return new ProcessorStage<>(name, processor, counted, home);
  }

  Stage<M> stage(Selector<M> selector) {
    List<SelectorStage.Path<M>> paths = new ArrayList<>();
    for (Selector.Route<M> route : selector.routes()) {
      paths.add(new SelectorStage.Path<>(route.accepts(), stage(route.processor())));
    }
    Selector.Named<M> otherwise = selector.otherwise();
    if (otherwise != null) {
      paths.add(new SelectorStage.Path<>(any -> true, stage(otherwise)));
    }
    return new SelectorStage<>(paths, home.tally());
  }

  private Stage<M> stage(Selector.Named<M> named) {
    return stage(named.name(), named.processor());
  }
}
