package com.wookler.river.kafka;

import com.wookler.river.common.errors.ConfigurationException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;

/**
 * Kafka's properties of a share group: those of its clients, and those that the brokers keep for
 * the group.
 *
 * @param name of the group
 * @param clients of consumers, producers and administrators
 * @param group of the group, by their names
 * @param limit how often the brokers deliver a message at most
 */
record GroupSettings(
    String name, Map<String, Object> clients, Map<String, String> group, int limit) {
  static final String OFFSET_RESET = "share.auto.offset.reset";
  static final String LIMIT = "share.delivery.count.limit";
  private static final String ISOLATION = "share.isolation.level";
  private static final String LOCK = "share.record.lock.duration.ms";
  private static final List<String> OF_GROUP = List.of(OFFSET_RESET, ISOLATION, LIMIT, LOCK);
  private static final String DEFAULT_LIMIT = "10"; // what brokers allow by default

  /**
   * Separates the properties.
   *
   * @param maxDeliveries how often a message is processed at most: the brokers must deliver it once
   *     more, as what they delivered for the last time is lost when its process is killed
   * @throws ConfigurationException they would not
   */
  static GroupSettings of(String name, Map<String, Object> given, int maxDeliveries) {
    Map<String, Object> clients = new HashMap<>(given);
    Map<String, String> group = new HashMap<>();
    group.put(ISOLATION, "read_committed");
    group.put(LIMIT, DEFAULT_LIMIT);
    for (String each : OF_GROUP) {
      Object value = clients.remove(each);
      if (value != null) {
        group.put(each, value.toString());
      }
    }
    int limit = limit(group.get(LIMIT));
    if (maxDeliveries < 1 || maxDeliveries >= limit) {
      throw new ConfigurationException(
          String.format(
              "the share group %s has maxDeliveries %d, but 1 to %d are possible, one less than"
                  + " the property %s; use KafkaGroup.source or a queue's subscriber for more",
              name, maxDeliveries, limit - 1, LIMIT));
    }
    return new GroupSettings(name, Map.copyOf(clients), Map.copyOf(group), limit);
  }

  /** Without properties, which hold secrets. */
  @Override
  public String toString() {
    return "share group " + name;
  }

  /** Returns whether brokers keep the property for a share group. */
  static boolean isOfGroup(String property) {
    return OF_GROUP.contains(property);
  }

  private static int limit(String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new ConfigurationException("the property " + LIMIT + " is no number: " + text, e);
    }
  }

  /** Sets what the brokers keep for the group, and creates the topic of its dead letters. */
  void apply(String deadLetters) {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.GROUP, name);
    Collection<AlterConfigOp> changes = new ArrayList<>();
    group.forEach(
        (key, value) ->
            changes.add(new AlterConfigOp(new ConfigEntry(key, value), AlterConfigOp.OpType.SET)));
    String unused =
        Admins.ask(
            clients,
            "the group " + name + " cannot be set up",
            admin -> {
              admin.incrementalAlterConfigs(Map.of(resource, changes)).all().get();
              return DeadLetterTopic.create(deadLetters, admin);
            });
  }
}
