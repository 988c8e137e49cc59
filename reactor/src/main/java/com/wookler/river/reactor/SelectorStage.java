package com.wookler.river.reactor;

import com.wookler.river.core.subscriber.Delivery;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Splits a batch among routes. The order is kept within a route, not between routes. */
final class SelectorStage<M> implements Stage<M> {
  private final List<Path<M>> paths;
  private final Tally tally;

  /** Which messages go into which stage. */
  record Path<M>(Predicate<? super Delivery<M>> accepts, Stage<M> stage) {}

  SelectorStage(List<Path<M>> paths, Tally tally) {
    this.paths = List.copyOf(paths);
    this.tally = tally;
  }

  @Override
  public List<Delivery<M>> run(List<Delivery<M>> batch, Outcomes<M> outcomes) {
    List<List<Delivery<M>>> parts = new ArrayList<>(paths.size());
    paths.forEach(path -> parts.add(new ArrayList<>()));
    for (Delivery<M> delivery : batch) {
      assign(delivery, parts, outcomes);
    }
    List<Delivery<M>> passed = new ArrayList<>(batch.size());
    for (int i = 0; i < parts.size(); i++) {
      if (!parts.get(i).isEmpty()) {
        passed.addAll(paths.get(i).stage().run(parts.get(i), outcomes));
      }
    }
    return passed;
  }

  private void assign(Delivery<M> delivery, List<List<Delivery<M>>> parts, Outcomes<M> outcomes) {
    for (int i = 0; i < parts.size(); i++) {
      Optional<Boolean> answer = UserCode.ask(paths.get(i).accepts(), delivery, outcomes);
      if (answer.isEmpty()) {
        return;
      }
      if (answer.get()) {
        parts.get(i).add(delivery);
        return;
      }
    }
    tally.unmatched.increment();
    outcomes.decide(delivery, ProcessResult.done());
  }

  @Override
  public void start() {
    paths.forEach(path -> path.stage().start());
  }

  @Override
  public void close() {
    paths.forEach(path -> path.stage().close());
  }
}
