package com.wookler.river.reactor;

import com.wookler.river.common.utils.Amount;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/**
 * What all parts of one reactor share. Thread-safe.
 *
 * @param subscriber whose messages it takes
 * @param tally what its parts count in
 * @param gate whether messages may be taken
 * @param crew who processes them; none while the processors are started
 */
record Home<M>(Subscriber<M> subscriber, Tally tally, Gate gate, AtomicReference<Crew<M>> crew)
    implements ReactorContext<M> {
  Outcomes<M> outcomes() {
    return new Outcomes<>(this);
  }

  /** For what is decided outside a batch, by any thread. */
  void decide(Delivery<M> delivery, ProcessResult<M> result) {
    decide(List.of(delivery), List.of(result));
  }

  @Override
  public boolean run(List<Delivery<M>> batch, Runnable work) {
    Crew<M> hired = crew.get();
    Worker<M> worker = hired == null ? null : hired.guest();
    if (worker == null) {
      return false;
    }
    worker.lend(List.copyOf(batch), work);
    return true;
  }

  @Override
  public void decide(List<Delivery<M>> deliveries, List<ProcessResult<M>> results) {
    if (deliveries.size() != results.size()) {
      throw new IllegalArgumentException(
          Amount.of(results.size(), "result") + " for " + Amount.of(deliveries.size(), "message"));
    }
    Outcomes<M> outcomes = outcomes();
    for (int i = 0; i < deliveries.size(); i++) {
      switch (results.get(i).kind()) {
        case PASS -> outcomes.decide(deliveries.get(i), ProcessResult.done());
        case LATER -> {} // still
        default -> outcomes.decide(deliveries.get(i), results.get(i));
      }
    }
    outcomes.flush();
  }
}
