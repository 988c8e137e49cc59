package com.wookler.river.core;

import com.wookler.river.common.config.ConfigNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/** Finds the extensions: those of queues, and those that read further elements of a subscriber. */
final class Extensions {
  private static final List<String> OF_THE_REACTOR =
      List.of("executor", "processor", "filter", "selector", "failure");

  private final List<SubscriberExtension> found = new ArrayList<>();

  Extensions() {
    ServiceLoader.load(SubscriberExtension.class).forEach(found::add);
  }

  /** Looked for once, by core's own class loader: it is asked for by each queue that opens. */
  private static final class OfQueues {
    static final List<QueueExtension> ALL =
        ServiceLoader.load(QueueExtension.class, QueueExtension.class.getClassLoader()).stream()
            .map(ServiceLoader.Provider::get)
            .toList();
  }

  static List<QueueExtension> ofQueues() {
    return OfQueues.ALL;
  }

  List<String> children() {
    List<String> names = new ArrayList<>();
    names.add("params");
    found.forEach(extension -> names.addAll(extension.elements()));
    return names;
  }

  /** Reads the further elements of a subscriber, if any; fails if their module is missing. */
  Optional<SubscriberExtension.Attachment> read(ConfigNode subscriber) {
    for (SubscriberExtension extension : found) {
      if (hasAny(subscriber, extension.elements()).isPresent()) {
        return Optional.of(extension.configure(subscriber));
      }
    }
    Optional<String> push = hasAny(subscriber, OF_THE_REACTOR);
    if (push.isPresent()) {
      throw subscriber.error(
          "has a <" + push.get() + ">, which needs the module river-reactor on the class path");
    }
    return Optional.empty();
  }

  private static Optional<String> hasAny(ConfigNode node, List<String> names) {
    return names.stream().filter(name -> node.child(name).isPresent()).findFirst();
  }
}
