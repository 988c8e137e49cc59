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
 * Distributes a batch among routes and runs one route after the other. What they pass on is put
 * into the order of the batch again.
 */
final class SelectorStage<M> implements Stage<M> {
  private final List<Path<M>> paths;
  private final ReactorCounters counters;

  /** A stage, and the predicate that accepts messages for it. */
  record Path<M>(Predicate<? super Delivery<M>> accepts, Stage<M> stage) {}

  SelectorStage(List<Path<M>> paths, ReactorCounters counters) {
    this.paths = List.copyOf(paths);
    this.counters = counters;
  }

  @Override
  public List<Delivery<M>> run(List<Delivery<M>> batch, ResultHandler<M> handler) {
    List<List<Delivery<M>>> parts = new ArrayList<>(paths.size());
    paths.forEach(path -> parts.add(new ArrayList<>()));
    for (Delivery<M> delivery : batch) {
      assign(delivery, parts, handler);
    }
    List<Delivery<M>> passed = new ArrayList<>(batch.size());
    int routes = 0; // number of routes that passed messages on
    for (int i = 0; i < parts.size(); i++) {
      if (!parts.get(i).isEmpty()) {
        List<Delivery<M>> fromRoute = paths.get(i).stage().run(parts.get(i), handler);
        passed.addAll(fromRoute);
        routes += fromRoute.isEmpty() ? 0 : 1;
      }
    }
    return routes < 2 ? passed : inOrder(passed, batch);
  }

  private static <M> List<Delivery<M>> inOrder(List<Delivery<M>> passed, List<Delivery<M>> of) {
    IdentityHashMap<Delivery<M>, Integer> indexes = new IdentityHashMap<>();
    of.forEach(delivery -> indexes.put(delivery, indexes.size()));
    passed.sort(Comparator.comparingInt(delivery -> index(delivery, indexes))); // and stable
    return passed;
  }

  /** Returns the index in the batch of the message, or of the one that it replaces. */
  private static <M> int index(
      Delivery<M> delivery, IdentityHashMap<Delivery<M>, Integer> indexes) {
    Delivery<M> at = delivery;
    Integer index = indexes.get(at);
    while (index == null && at instanceof ReplacementDelivery<M> replacement) {
      at = replacement.source();
      index = indexes.get(at);
    }
    return Objects.requireNonNull(index, "a message that is not of this batch");
  }

  private void assign(
      Delivery<M> delivery, List<List<Delivery<M>>> parts, ResultHandler<M> handler) {
    for (int i = 0; i < parts.size(); i++) {
      Optional<Boolean> answer = UserPredicates.test(paths.get(i).accepts(), delivery, handler);
      if (answer.isEmpty()) {
        return;
      }
      if (answer.get()) {
        parts.get(i).add(delivery);
        return;
      }
    }
    counters.unmatched.increment();
    handler.handle(delivery, ProcessResult.done());
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
