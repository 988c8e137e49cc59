package com.wookler.river.core;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.settings.OptionTable;
import com.wookler.river.common.settings.Settings;
import com.wookler.river.core.log.RecycleStrategy;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.core.subscriber.SubscriberOptions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
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

  @SuppressWarnings("unchecked") // the XML names the class; what it converts is up to the caller
  static <M> QueueConfig<M> read(ConfigNode node) {
    String name = node.requireAttribute("name");
    node.allowAttributes(List.of("name"));
    List<String> children = new ArrayList<>(List.of("params", "recycle", "backup", "subscribers"));
    Extensions.ofQueues().forEach(extension -> children.addAll(extension.elements()));
    node.allowChildren(children);
    Settings settings = params(node);
    try {
      return new QueueConfig<>(
          Names.check("queue", name),
          (MessageConverter<M>) settings.get(QueueOptions.CONVERTER),
          settings,
          node.child("recycle")
              .map(recycle -> recycle.instantiate(RecycleStrategy.class))
              .orElse(QueueConfig.WHEN_FULL),
          subscribers(node),
          TimeSource.system());
    } catch (ConfigurationException e) {
      throw node.located(e);
    }
  }

  private static Settings params(ConfigNode node) {
    OptionTable table = QueueOptions.TABLE;
    node.allowParams(table.allowed(node.name(), List.of()));
    node.requireParam(QueueOptions.CONVERTER.name());
    node.requireParam(QueueOptions.DIRECTORY.name());
    Settings settings = table.read(node, table.defaults(), List.of());
    Optional<ConfigNode> backup = node.child("backup");
    if (backup.isEmpty()) {
      return settings;
    }
    backup.get().allowChildren(List.of("params"));
    settings = table.read(backup.get(), settings, List.of());
    backup.get().requireParam(QueueOptions.BACKUP_DIRECTORY.name());
    backup.get().requireParam(QueueOptions.BACKUP_RETENTION.name());
    return settings;
  }

  private static QueueConfig.Start subscribers(ConfigNode queue) {
    Extensions extensions = new Extensions();
    List<SubscriberConfig> subscribers = new ArrayList<>();
    Map<String, SubscriberExtension.Attachment> attachments = new LinkedHashMap<>();
    Set<String> names = new HashSet<>();
    for (ConfigNode list : queue.children("subscribers")) {
      list.allowChildren(List.of("subscriber"));
      for (ConfigNode node : list.children("subscriber")) {
        Optional<SubscriberExtension.Attachment> attachment = extensions.read(node);
        node.allowChildren(extensions.children());
        SubscriberConfig subscriber = subscriber(node);
        if (!names.add(subscriber.name().toLowerCase(Locale.ROOT))) {
          throw node.error("there are two subscribers of the name " + subscriber.name());
        }
        subscribers.add(subscriber);
        attachment.ifPresent(found -> attachments.put(subscriber.name(), found));
      }
    }
    List<QueueExtension.Setting> given = new ArrayList<>();
    Extensions.ofQueues().forEach(extension -> given.addAll(extension.configure(queue)));
    return new QueueConfig.Start(subscribers, attachments, given);
  }

  private static SubscriberConfig subscriber(ConfigNode node) {
    node.allowAttributes(List.of("name"));
    OptionTable table = SubscriberOptions.TABLE;
    try {
      return SubscriberConfig.builder(Names.check("subscriber", node.requireAttribute("name")))
          .settings(table.read(node, table.defaults(), PARAMS_OF_PROCESSORS))
          .build();
    } catch (ConfigurationException e) {
      throw node.located(e);
    }
  }
}
