package com.wookler.river.reactor;

import com.wookler.river.core.subscriber.Delivery;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Splits a batch among routes, one route after the other. What they pass on is in the order of the
 * batch again.
 */
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
    int routes = 0; // that passed something on
    for (int i = 0; i < parts.size(); i++) {
      if (!parts.get(i).isEmpty()) {
        List<Delivery<M>> its = paths.get(i).stage().run(parts.get(i), outcomes);
        passed.addAll(its);
        routes += its.isEmpty() ? 0 : 1;
      }
    }
    return routes < 2 ? passed : inOrder(passed, batch);
  }

  private static <M> List<Delivery<M>> inOrder(List<Delivery<M>> passed, List<Delivery<M>> of) {
    IdentityHashMap<Delivery<M>, Integer> places = new IdentityHashMap<>();
    of.forEach(delivery -> places.put(delivery, places.size()));
    passed.sort(Comparator.comparingInt(delivery -> place(delivery, places))); // and stable
    return passed;
  }

  /** That of the message itself, or of the one in whose place it goes on. */
  private static <M> int place(Delivery<M> delivery, IdentityHashMap<Delivery<M>, Integer> places) {
    Delivery<M> at = delivery;
    Integer place = places.get(at);
    while (place == null && at instanceof Passed<M> went) {
      at = went.source();
      place = places.get(at);
    }
    return Objects.requireNonNull(place, "a message from nowhere");
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
