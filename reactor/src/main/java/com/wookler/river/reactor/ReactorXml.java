package com.wookler.river.reactor;

import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.FilterExpression;
import com.wookler.river.core.subscriber.Order;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Reads and checks the elements of a push subscriber, and creates the objects that they name at
 * once.
 */
final class ReactorXml {
  static final List<String> ELEMENTS =
      List.of("executor", "processor", "filter", "selector", "failure");

  private static final String THREADS = InlineExecutor.PARAMS.get(0);
  private static final String BATCH_SIZE = InlineExecutor.PARAMS.get(1);
  private static final String TIME_LIMIT = InlineExecutor.PARAMS.get(2);
  private static final String ORDER = InlineExecutor.PARAMS.get(3);
  private static final String EXPRESSION = "expression";
  private static final String ACK_ASYNC = "subscriber.ack.async";

  private final List<Consumer<Reactor.Builder<Object>>> settings = new ArrayList<>();
  private final Map<Class<?>, FailurePolicy> policies = new HashMap<>(); // to refuse a second

  ReactorXml(ConfigNode subscriber) {
    if (subscriber.child("processor").isEmpty() && subscriber.child("selector").isEmpty()) {
      throw subscriber.error("has an <executor>, a <filter> or a <failure>, but no <processor>");
    }
    boolean ackAsync = subscriber.bool(ACK_ASYNC, false);
    settings.add(builder -> builder.ackAsync(ackAsync));
    for (ConfigNode node : subscriber.children()) {
      switch (node.name()) {
        case "executor" -> executor(node);
        case "filter" -> filter(node);
        case "processor" -> processor(node);
        case "selector" -> selector(node);
        case "failure" -> failure(node);
        default -> {} // elements of the queue
      }
    }
  }

  /** Adds what the elements say to a builder, and returns that. */
  Reactor.Builder<Object> addTo(Reactor.Builder<Object> builder) {
    settings.forEach(setting -> setting.accept(builder));
    return builder;
  }

  private void executor(ConfigNode node) {
    int threads = positive(node, THREADS, 1);
    settings.add(builder -> builder.threads(threads));
    if (node.param(BATCH_SIZE).isPresent()) {
      int batchSize = positive(node, BATCH_SIZE, 1);
      settings.add(builder -> builder.batchSize(batchSize));
    }
    if (node.param(TIME_LIMIT).isPresent()) {
      Duration limit = node.duration(TIME_LIMIT, Duration.ZERO);
      if (limit.toMillis() < 1) {
        throw node.error(TIME_LIMIT, "is " + limit + "; it must be 1 ms or more");
      }
      settings.add(builder -> builder.timeLimit(limit));
    }
    node.param(ORDER).ifPresent(name -> order(node, name));
    if (node.attribute("class").isPresent()) {
      Executor own = node.instantiate(Executor.class);
      settings.add(builder -> builder.ownExecutor(own));
    } else {
      node.allowChildren(List.of("params"));
      node.allowParams(InlineExecutor.PARAMS);
    }
  }

  private void order(ConfigNode node, String name) {
    for (Order order : Order.values()) {
      if (order.name().equalsIgnoreCase(name)) {
        settings.add(builder -> builder.orderBy(order));
        return;
      }
    }
    throw node.error(ORDER, "is '" + name + "'; SEQUENCE, KEY and STRICT are allowed");
  }

  static int positive(ConfigNode node, String param, int otherwise) {
    int number = node.integer(param, otherwise);
    if (number < 1) {
      throw node.error(param, "is " + number + "; it must be 1 or more");
    }
    return number;
  }

  private void filter(ConfigNode node) {
    Predicate<Delivery<Object>> filter = predicate(node);
    settings.add(builder -> builder.filter(filter));
  }

  @SuppressWarnings("unchecked") // the XML names the class
  private static Predicate<Delivery<Object>> predicate(ConfigNode node) {
    Optional<String> expression = node.attribute(EXPRESSION);
    if (expression.isPresent() == node.attribute("class").isPresent()) {
      throw node.error("must have either a class or an expression");
    }
    if (expression.isEmpty()) {
      return node.instantiate(Predicate.class);
    }
    node.allowAttributes(List.of(EXPRESSION));
    try {
      return FilterExpression.parse(expression.get())::matches;
    } catch (ConfigurationException e) {
      throw node.error("attribute '" + EXPRESSION + "': " + e.getMessage());
    }
  }

  private void processor(ConfigNode node) {
    String name = node.requireAttribute("name");
    BatchProcessor<Object> processor = NestedProcessors.read(node);
    settings.add(builder -> builder.batchProcessor(name, processor));
  }

  private void failure(ConfigNode node) {
    node.allowAttributes(List.of("exception", "policy"));
    Class<? extends Throwable> type = node.classAttribute("exception", Throwable.class);
    String name = node.requireAttribute("policy");
    for (FailurePolicy policy : FailurePolicy.values()) {
      if (policy.name().equalsIgnoreCase(name)) {
        FailurePolicy before = policies.putIfAbsent(type, policy);
        if (before != null && before != policy) {
          throw node.error(
              "attribute 'policy' is '" + name + "'; " + type.getName() + " has " + before);
        }
        settings.add(builder -> builder.onFailure(type, policy));
        return;
      }
    }
    throw node.error("attribute 'policy' is '" + name + "'; retry, reject and pause are allowed");
  }

  private void selector(ConfigNode node) {
    node.allowChildren(List.of("route", "otherwise"));
    Selector<Object> selector = Selector.create();
    for (ConfigNode route : node.children("route")) {
      ConfigNode processor = NestedProcessors.singleProcessor(route);
      selector.route(
          predicate(route), processor.requireAttribute("name"), NestedProcessors.read(processor));
    }
    node.child("otherwise")
        .map(NestedProcessors::singleProcessor)
        .ifPresent(
            processor ->
                selector.rest(
                    processor.requireAttribute("name"), NestedProcessors.read(processor)));
    settings.add(builder -> builder.select(selector));
  }
}
