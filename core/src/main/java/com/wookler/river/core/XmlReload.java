package com.wookler.river.core;

import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.settings.Option;
import com.wookler.river.common.settings.Settings;
import com.wookler.river.core.subscriber.FilterExpression;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.core.subscriber.SubscriberOptions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Compares the queues of a file that was read again with those that run, and changes what may
 * change while they do.
 */
final class XmlReload {
  private final Map<Reconfiguration, Changes> changes = new LinkedHashMap<>();
  private final List<String> later = new ArrayList<>();

  /** Compares; nothing changes yet. */
  XmlReload(ConfigNode root, Map<String, MessageQueue<?>> queues) {
    for (ConfigNode node : root.children("queue")) {
      QueueConfig<?> read = QueueXml.read(node);
      MessageQueue<?> queue = queues.get(read.name());
      if (queue == null) {
        later.add("queue " + read.name() + " is new");
      } else {
        compare(read, queue.running());
      }
    }
  }

  private void compare(QueueConfig<?> read, RunningQueue<?> running) {
    Changes changed = new Changes();
    Settings before = running.reconfiguration().settings();
    Settings after = before.changedTo(read.settings());
    changed.set(before, after);
    keep(
        "queue " + read.name(),
        after.differences(
            read.settings(), Set.of(QueueOptions.CONVERTER, QueueOptions.INTERCEPTOR)));
    for (SubscriberConfig subscriber : read.subscribers()) {
      compare(subscriber, running, changed);
    }
    changes.put(running.reconfiguration(), changed);
  }

  private void compare(SubscriberConfig read, RunningQueue<?> running, Changes to) {
    String who = "queue " + running.name() + ", subscriber " + read.name();
    Optional<SubscriberConfig> known = running.subscribers().config(read.name());
    if (known.isEmpty()) {
      later.add(who + " is new");
      return;
    }
    Settings before = known.get().settings();
    Settings after = before.changedTo(read.settings());
    to.subscriber(read.name(), before, after);
    keep(who, after.differences(read.settings(), aside(before, read.settings())));
  }

  /** Returns what is not compared: the start, and a filter in code, if its class is the same. */
  private static Set<Option<?>> aside(Settings before, Settings read) {
    Set<Option<?>> aside = new HashSet<>(Set.of(SubscriberOptions.START));
    Object filter = before.find(SubscriberOptions.FILTER);
    Object other = read.find(SubscriberOptions.FILTER);
    if (filter != null
        && other != null
        && filter.getClass() == other.getClass()
        && !(filter instanceof FilterExpression)) {
      aside.add(SubscriberOptions.FILTER);
    }
    return aside;
  }

  private void keep(String who, List<String> differences) {
    differences.forEach(each -> later.add(who + ": " + each));
  }

  /** Makes the changes, queue by queue, and returns what takes effect only at the next opening. */
  List<String> apply() {
    changes.forEach(Reconfiguration::apply);
    return later;
  }
}
