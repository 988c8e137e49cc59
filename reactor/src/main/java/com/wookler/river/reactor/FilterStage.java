package com.wookler.river.reactor;

import com.wookler.river.core.subscriber.Delivery;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Lets through what a predicate accepts; the rest is finished, and counted. */
final class FilterStage<M> implements Stage<M> {
  private final Predicate<? super Delivery<M>> filter;
  private final Tally tally;

  FilterStage(Predicate<? super Delivery<M>> filter, Tally tally) {
    this.filter = filter;
    this.tally = tally;
  }

  @Override
  public List<Delivery<M>> run(List<Delivery<M>> batch, Outcomes<M> outcomes) {
    List<Delivery<M>> through = new ArrayList<>(batch.size());
    for (Delivery<M> delivery : batch) {
      UserCode.ask(filter, delivery, outcomes)
          .ifPresent(accepted -> take(delivery, accepted, through, outcomes));
    }
    return through;
  }

  private void take(
      Delivery<M> delivery, boolean accepted, List<Delivery<M>> through, Outcomes<M> outcomes) {
    if (accepted) {
      through.add(delivery);
    } else {
      tally.filtered.increment();
      outcomes.decide(delivery, ProcessResult.done());
    }
  }
}
