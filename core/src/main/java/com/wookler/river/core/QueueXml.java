package com.wookler.river.core;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.settings.Option;
import com.wookler.river.common.settings.OptionTable;
import com.wookler.river.common.settings.Settings;
import com.wookler.river.core.log.RecycleStrategy;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.core.subscriber.SubscriberOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads a {@code <queue>} element into a {@link QueueConfig}; touches nothing on disk. */
final class QueueXml {
  /** Of a subscriber with processors; others have nothing that it would concern. */
  static final List<String> PARAMS_OF_PROCESSORS = List.of("subscriber.ack.async");

  private QueueXml() {}

  /**
   * Reads all that this process keeps, before one is started: a mistake in the last must not leave
   * the others open.
   */
  static List<QueueConfig<?>> readAll(ConfigNode root) {
    Defaults defaults = Defaults.of(root);
    Map<ConfigNode, QueueConfig<?>> queues = new LinkedHashMap<>();
    Set<String> names = new HashSet<>();
    for (ConfigNode node : root.children("queue")) {
      if (Engines.isLocal(node)) {
        queues.put(node, read(node, defaults));
      }
      String name = node.requireAttribute("name");
      if (!names.add(name.toLowerCase(Locale.ROOT))) {
        throw node.error("there are two queues of the name " + name);
      }
    }
    Map<Path, QueueConfig<?>> all = new HashMap<>();
    queues.values().forEach(queue -> all.put(queue.path(queue.name()), queue));
    queues.forEach((node, queue) -> refuseCycle(node, queue, all, new LinkedHashSet<>(), ""));
    return List.copyOf(queues.values());
  }

  /** Refuses a queue whose messages would come back to it, before a directory is made. */
  private static void refuseCycle(
      ConfigNode node,
      QueueConfig<?> at,
      Map<Path, QueueConfig<?>> all,
      Set<QueueConfig<?>> seen,
      String way) {
    seen.add(at); // the first one is the queue of the node
    for (String to : at.transfersTo()) {
      QueueConfig<?> next = all.get(at.path(to));
      String on = way + at.name() + " → ";
      if (next != null && next == seen.iterator().next()) {
        throw node.error(
            "what it forwards, or what expires in it, comes back to it, through " + on + to);
      } else if (next != null && !seen.contains(next)) {
        refuseCycle(node, next, all, seen, on);
      }
    }
  }

  /** Returns the names of the subscribers of each queue. */
  static Map<String, List<String>> subscribers(List<QueueConfig<?>> configs) {
    Map<String, List<String>> names = new LinkedHashMap<>();
    for (QueueConfig<?> config : configs) {
      names.put(config.name(), config.subscribers().stream().map(SubscriberConfig::name).toList());
    }
    return names;
  }

  @SuppressWarnings("unchecked") // the XML names the class; what it converts is up to the caller
  static <M> QueueConfig<M> read(ConfigNode node, Defaults defaults) {
    String name = node.requireAttribute("name");
    node.allowAttributes(Engines.ATTRIBUTES);
    Engines.requireLocal(node);
    List<String> children = new ArrayList<>(List.of("params", "recycle", "backup", "subscribers"));
    Extensions.ofQueues().forEach(extension -> children.addAll(extension.elements()));
    node.allowChildren(children);
    Settings settings = params(node, defaults.queue(name));
    try {
      return new QueueConfig<>(
          Names.check("queue", name),
          (MessageConverter<M>) settings.get(QueueOptions.CONVERTER),
          settings,
          node.child("recycle")
              .or(() -> defaults.recycle(name))
              .map(recycle -> recycle.instantiate(RecycleStrategy.class))
              .orElse(QueueConfig.WHEN_FULL),
          subscribers(node, name, defaults),
          TimeSource.system());
    } catch (ConfigurationException e) {
      throw node.located(e);
    }
  }

  private static Settings params(ConfigNode node, Settings defaults) {
    OptionTable table = QueueOptions.TABLE;
    node.allowParams(table.allowed(node.name(), List.of()));
    require(node, QueueOptions.CONVERTER, defaults);
    require(node, QueueOptions.DIRECTORY, defaults);
    Settings settings = table.read(node, table.defaults(), List.of());
    Optional<ConfigNode> backup = node.child("backup");
    if (backup.isPresent()) {
      backup.get().allowChildren(List.of("params"));
      settings = table.read(backup.get(), settings, List.of());
    }
    if (backup.isPresent() || defaults.isGiven(QueueOptions.BACKUP_DIRECTORY)) {
      require(backup.orElse(node), QueueOptions.BACKUP_DIRECTORY, defaults);
      require(backup.orElse(node), QueueOptions.BACKUP_RETENTION, defaults);
    }
    return settings.or(defaults);
  }

  private static void require(ConfigNode node, Option<?> option, Settings defaults) {
    if (!defaults.isGiven(option) || node.param(option.name()).isPresent()) {
      String unused = node.requireParam(option.name());
    }
  }

  private static QueueConfig.Start subscribers(ConfigNode queue, String name, Defaults defaults) {
    Extensions extensions = new Extensions();
    List<SubscriberConfig> subscribers = new ArrayList<>();
    Map<String, SubscriberExtension.Attachment> attachments = new LinkedHashMap<>();
    Set<String> names = new HashSet<>();
    for (ConfigNode list : queue.children("subscribers")) {
      list.allowChildren(List.of("subscriber"));
      for (ConfigNode node : list.children("subscriber")) {
        Optional<SubscriberExtension.Attachment> attachment = extensions.read(node);
        node.allowChildren(extensions.children());
        SubscriberConfig subscriber = subscriber(node, name, defaults);
        if (!names.add(subscriber.name().toLowerCase(Locale.ROOT))) {
          throw node.error("there are two subscribers of the name " + subscriber.name());
        }
        subscribers.add(subscriber);
        attachment.ifPresent(found -> attachments.put(subscriber.name(), found));
      }
    }
    List<QueueExtension.Setting> given = new ArrayList<>();
    Extensions.ofQueues().forEach(extension -> given.addAll(extension.configure(queue)));
    return new QueueConfig.Start(subscribers, attachments, given, defaults);
  }

  private static SubscriberConfig subscriber(ConfigNode node, String queue, Defaults defaults) {
    node.allowAttributes(List.of("name"));
    OptionTable table = SubscriberOptions.TABLE;
    String name = node.requireAttribute("name");
    try {
      return SubscriberConfig.builder(Names.check("subscriber", name))
          .settings(
              table
                  .read(node, table.defaults(), PARAMS_OF_PROCESSORS)
                  .or(defaults.subscriber(queue, name)))
          .build();
    } catch (ConfigurationException e) {
      throw node.located(e);
    }
  }
}
