package com.wookler.river.core;

import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.settings.Option;
import com.wookler.river.common.settings.Settings;
import com.wookler.river.core.message.MessageConverter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;

/** Finds the engines of the queues of a file; see {@link QueueEngine}. */
final class Engines {
  private static final String ENGINE = "engine";

  /** Of a queue. */
  static final List<String> ATTRIBUTES = List.of("name", ENGINE);

  private static final String LOCAL = "local";
  private static final Map<String, String> MODULES = Map.of("kafka", "river-kafka");

  private Engines() {}

  /** Returns whether this process keeps the queue. */
  static boolean isLocal(ConfigNode queue) {
    return queue.attribute(ENGINE).orElse(LOCAL).equals(LOCAL);
  }

  /** Refuses a queue that another engine keeps, where this process is to keep it. */
  static void requireLocal(ConfigNode queue) {
    if (!isLocal(queue)) {
      throw queue.error(
          "has engine=\"%s\", and only River.open opens the queues of other engines; open the file"
                  .formatted(queue.requireAttribute(ENGINE))
              + " by it and use River.publisher");
    }
  }

  /** Reads the queues that other engines keep; starts nothing. */
  static Map<String, QueueEngine.Plan> readAll(ConfigNode root) {
    Map<String, QueueEngine> found = new TreeMap<>();
    ServiceLoader.load(QueueEngine.class).forEach(engine -> found.put(engine.name(), engine));
    Defaults defaults = Defaults.of(root);
    Map<String, QueueEngine.Plan> plans = new LinkedHashMap<>();
    for (ConfigNode node : root.children("queue")) {
      if (!isLocal(node)) {
        QueueEngine engine = find(node, found);
        QueueEngine.Definition definition = definition(node, defaults);
        try {
          plans.put(definition.name(), engine.read(definition));
        } catch (ConfigurationException e) {
          throw node.located(e);
        }
      }
    }
    return plans;
  }

  private static QueueEngine find(ConfigNode node, Map<String, QueueEngine> found) {
    String name = node.requireAttribute(ENGINE);
    QueueEngine engine = found.get(name);
    if (engine == null && MODULES.containsKey(name)) {
      throw node.error(
          "has engine=\""
              + name
              + "\", which needs the module "
              + MODULES.get(name)
              + " on the class path");
    } else if (engine == null) {
      throw node.error(
          "has engine=\""
              + name
              + "\", which is unknown; local, or one of the class path, is allowed: "
              + found.keySet());
    }
    return engine;
  }

  private static QueueEngine.Definition definition(ConfigNode node, Defaults defaults) {
    String name = node.requireAttribute("name");
    node.allowAttributes(ATTRIBUTES);
    try {
      return new QueueEngine.Definition(
          node, Names.check("queue", name), converter(node, defaults.queue(name)), defaults);
    } catch (ConfigurationException e) {
      throw node.located(e);
    }
  }

  @SuppressWarnings("unchecked") // the XML names the class; what it converts is up to the caller
  private static MessageConverter<Object> converter(ConfigNode node, Settings defaults) {
    Option<MessageConverter<?>> option = QueueOptions.CONVERTER;
    MessageConverter<?> given =
        node.param(option.name()).isPresent() ? null : defaults.find(option);
    return (MessageConverter<Object>)
        (given == null ? option.type().read(node, option.name()) : given);
  }

  /**
   * Refuses a file that was read again in which a queue has another engine than the one that runs.
   *
   * @param local names of those that this process keeps
   * @param others names of those that other engines keep
   */
  static void refuseChange(ConfigNode root, Set<String> local, Set<String> others) {
    for (ConfigNode node : root.children("queue")) {
      String name = node.requireAttribute("name");
      if (isLocal(node) ? others.contains(name) : local.contains(name)) {
        throw node.error(
            "has another engine than the one on which it runs; that changes by a new start");
      }
    }
  }
}
