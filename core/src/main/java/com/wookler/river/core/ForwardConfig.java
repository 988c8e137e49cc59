package com.wookler.river.core;

import com.wookler.river.core.subscriber.SubscriberConfig;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * To which queues a queue forwards.
 *
 * @param queues their names; in its base directory
 * @param only whether it is there for that alone
 */
record ForwardConfig(List<String> queues, boolean only) {
  static final ForwardConfig NONE = new ForwardConfig(List.of(), false);

  ForwardConfig {
    queues = List.copyOf(queues);
  }

  /** Refuses what cannot be. */
  void check(String queue, List<SubscriberConfig> subscribers) {
    Set<String> names = new HashSet<>();
    for (String name : queues) {
      Names.check(queue, "queue.forward", name);
      QueueConfig.check(
          queue, !name.equalsIgnoreCase(queue), "queue.forward names the queue itself");
      QueueConfig.check(
          queue,
          names.add(name.toLowerCase(Locale.ROOT)),
          "queue.forward names " + name + " twice");
    }
    QueueConfig.check(
        queue,
        !only || !queues.isEmpty(),
        "queue.fanout.only is true, and queue.forward names no queue");
    QueueConfig.check(
        queue,
        !only || subscribers.isEmpty(),
        "queue.fanout.only is true, so it has no subscribers; subscribe to "
            + String.join(", ", queues));
  }
}
