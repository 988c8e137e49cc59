package com.wookler.river.reactor;

import com.wookler.river.core.subscriber.Delivery;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Passes on what a predicate accepts; acknowledges and counts the other messages. */
final class FilterStage<M> implements Stage<M> {
  private final Predicate<? super Delivery<M>> filter;
  private final ReactorCounters counters;

  FilterStage(Predicate<? super Delivery<M>> filter, ReactorCounters counters) {
    this.filter = filter;
    this.counters = counters;
  }

  @Override
  public List<Delivery<M>> run(List<Delivery<M>> batch, ResultHandler<M> handler) {
    List<Delivery<M>> accepted = new ArrayList<>(batch.size());
    for (Delivery<M> delivery : batch) {
      UserPredicates.test(filter, delivery, handler)
          .ifPresent(isAccepted -> take(delivery, isAccepted, accepted, handler));
    }
    return accepted;
  }

  private void take(
      Delivery<M> delivery,
      boolean isAccepted,
      List<Delivery<M>> accepted,
      ResultHandler<M> handler) {
    if (isAccepted) {
      accepted.add(delivery);
    } else {
      counters.filtered.increment();
      handler.handle(delivery, ProcessResult.done());
    }
  }
}
