package com.wookler.river.reactor;

import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.FilterExpression;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Sends each message to one of several processors: to that of the first route whose predicate
 * accepts it, else to the default one. A message without a route is acknowledged and counted in
 * {@link ReactorStats#unmatched}. Messages that the chosen processor passes on continue to the
 * stage after the selector.
 *
 * @param <M> type of the data
 */
public final class Selector<M> {
  private final List<Route<M>> routes = new ArrayList<>();
  private @Nullable Named<M> otherwise;

  /** A processor, and the predicate that accepts messages for it. */
  record Route<M>(Predicate<? super Delivery<M>> accepts, Named<M> processor) {}

  /** A processor and its name in counters and log. */
  record Named<M>(String name, BatchProcessor<M> processor) {}

  /** Creates a selector without routes. */
  public static <M> Selector<M> create() {
    return new Selector<>();
  }

  private Selector() {}

  /**
   * Adds a route after the present ones.
   *
   * @param name of the processor, in counters and log
   * @param accepts pure, fast and thread-safe; if it throws, the message fails
   */
  public Selector<M> when(
      Predicate<? super Delivery<M>> accepts, String name, Processor<M> processor) {
    route(accepts, name, new ProcessorAdapter<>(processor, true));
    return this;
  }

  /**
   * Adds a route after the present ones, by an expression over key, headers and JSON fields; see
   * {@link FilterExpression}.
   *
   * @param name of the processor, in counters and log
   * @throws com.wookler.river.common.errors.ConfigurationException the text is not an expression;
   *     names the column
   */
  public Selector<M> when(String expression, String name, Processor<M> processor) {
    return when(FilterExpression.parse(expression)::matches, name, processor);
  }

  /** Sets the processor of the messages that no route accepts. */
  public Selector<M> otherwise(String name, Processor<M> processor) {
    rest(name, new ProcessorAdapter<>(processor, true));
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
