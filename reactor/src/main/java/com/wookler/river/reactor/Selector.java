package com.wookler.river.reactor;

import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.DeliveryFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Sends each message to one of several processors: that of the first route whose predicate accepts
 * it, else the default one. What matches nothing is finished, and counted in {@link
 * ReactorStats#unmatched}. What the chosen processor passes on goes on behind the selector.
 *
 * @param <M> type of the data
 */
public final class Selector<M> {
  private final List<Route<M>> routes = new ArrayList<>();
  private @Nullable Named<M> otherwise;

  /** A processor, and which messages are for it. */
  record Route<M>(Predicate<? super Delivery<M>> accepts, Named<M> processor) {}

  /** A processor and its name in counters and log. */
  record Named<M>(String name, BatchProcessor<M> processor) {}

  /** A selector without routes. */
  public static <M> Selector<M> create() {
    return new Selector<>();
  }

  private Selector() {}

  /**
   * Adds a route behind those that there are.
   *
   * @param name of the processor, in counters and log
   * @param accepts pure, fast and thread-safe; what it throws fails the message
   */
  public Selector<M> when(
      Predicate<? super Delivery<M>> accepts, String name, Processor<M> processor) {
    route(accepts, name, new OneByOne<>(processor, true));
    return this;
  }

  /**
   * Adds a route behind those that there are, by an expression over key, headers and JSON fields;
   * see {@link com.wookler.river.core.filter.FilterExpression}.
   *
   * @param name of the processor, in counters and log
   * @throws com.wookler.river.common.errors.ConfigurationException it is no expression, with the
   *     column
   */
  public Selector<M> when(String expression, String name, Processor<M> processor) {
    return when(DeliveryFilter.of(expression), name, processor);
  }

  /** Where messages go that no route accepts. */
  public Selector<M> otherwise(String name, Processor<M> processor) {
    rest(name, new OneByOne<>(processor, true));
    return this;
  }

  void route(Predicate<? super Delivery<M>> accepts, String name, BatchProcessor<M> processor) {
    routes.add(
        new Route<>(
            Objects.requireNonNull(accepts, "accepts"),
            new Named<>(Objects.requireNonNull(name, "name"), processor)));
  }

  void rest(String name, BatchProcessor<M> processor) {
    otherwise = new Named<>(Objects.requireNonNull(name, "name"), processor);
  }

  List<Route<M>> routes() {
    return List.copyOf(routes);
  }

  @Nullable Named<M> otherwise() {
    return otherwise;
  }
}
