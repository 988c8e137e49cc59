package com.wookler.river.kafka;

import com.wookler.river.common.errors.ConfigurationException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Kafka's properties of a source: those that its user gave, with defaults for what they leave out,
 * and those that the guarantee rests on.
 *
 * @param consumer of the consumer
 * @param admin of the client that asks for the identities of topics
 * @param ownGroup whether the group is the queue's own
 * @param servers with which they begin
 */
record SourceProperties(
    Map<String, Object> consumer,
    Map<String, Object> admin,
    boolean ownGroup,
    List<String> servers) {
  private static final List<String> OWN =
      List.of(
          ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
          ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
          ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG);

  private static final Map<String, Object> DEFAULTS =
      Map.of(
          ConsumerConfig.ISOLATION_LEVEL_CONFIG,
          "read_committed",
          ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
          false,
          ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
          "earliest",
          ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
          1_000);

  /** Without properties, which hold secrets. */
  @Override
  public String toString() {
    return "properties of a source at " + servers;
  }

  /** Returns whether what has no position is read from its beginning. */
  boolean isEarliest() {
    return "earliest".equals(String.valueOf(consumer.get(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG)));
  }

  /**
   * Checks and completes the properties.
   *
   * @param group unless the user names one
   * @throws ConfigurationException a property is the source's own, or Kafka refuses it
   */
  static SourceProperties of(Map<String, ?> given, String group) {
    ClientProperties.refuse(given, OWN, "source");
    Map<String, Object> consumer = new HashMap<>(DEFAULTS);
    consumer.putAll(given);
    boolean ownGroup = consumer.putIfAbsent(ConsumerConfig.GROUP_ID_CONFIG, group) == null;
    if (ownGroup) {
      // The successor of a consumer that was killed has its partitions at once.
      consumer.putIfAbsent(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG, group);
    }
    ClientProperties.completeTimeouts(consumer);
    consumer.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    consumer.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    consumer.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    List<String> servers =
        ClientProperties.accepted(() -> new ConsumerConfig(consumer))
            .getList(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG);
    return new SourceProperties(consumer, Admins.properties(given), ownGroup, servers);
  }
}
