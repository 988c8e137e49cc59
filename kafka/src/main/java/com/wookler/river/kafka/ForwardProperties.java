package com.wookler.river.kafka;

import com.wookler.river.common.errors.ConfigurationException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Kafka's properties of a forwarder: those that its user gave, with defaults for what they leave
 * out, and those that the guarantee rests on.
 *
 * @param producer of the producer
 * @param consumer of the consumer that reads positions
 * @param admin of the client that reads a position while a transaction is open over it
 * @param servers with which they begin
 */
record ForwardProperties(
    Map<String, Object> producer,
    Map<String, Object> consumer,
    Map<String, Object> admin,
    List<String> servers) {
  /** What River sets of every producer, and the group that belongs to it. */
  static final List<String> OWN =
      List.of(
          ProducerConfig.TRANSACTIONAL_ID_CONFIG,
          ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
          ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG,
          ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
          ProducerConfig.ACKS_CONFIG,
          ConsumerConfig.GROUP_ID_CONFIG);

  private static final String IN_FLIGHT = ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION;

  /** What a user may leave out; chosen so that an outage is known within half a minute. */
  private static final Map<String, Object> DEFAULTS =
      Map.of(
          ProducerConfig.LINGER_MS_CONFIG, 5,
          ProducerConfig.BATCH_SIZE_CONFIG, 256 << 10,
          ProducerConfig.BUFFER_MEMORY_CONFIG, 64L << 20,
          ProducerConfig.MAX_BLOCK_MS_CONFIG, 10_000L,
          ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, 10_000,
          ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 20_000,
          ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, 60_000);

  /**
   * Checks and completes the properties.
   *
   * @param id names queue and subscriber, the same at each run
   * @throws ConfigurationException a property is the forwarder's own, or Kafka refuses it
   */
  static ForwardProperties of(Map<String, ?> given, Guarantee guarantee, String id) {
    ClientProperties.refuse(given, OWN, "forwarder");
    ClientProperties.refuse(given, List.of(ConsumerConfig.ISOLATION_LEVEL_CONFIG), "forwarder");
    boolean once = guarantee == Guarantee.EXACTLY_ONCE;
    if (!once) {
      ClientProperties.refuse(given, List.of(IN_FLIGHT), "forwarder");
    }
    Map<String, Object> producer = producer(given);
    if (once) {
      producer.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, id);
    } else {
      producer.put(IN_FLIGHT, 1); // else what comes after a record that fails could be there
    }
    Map<String, Object> consumer = consumer(given, id);
    List<String> servers =
        ClientProperties.accepted(() -> new ProducerConfig(producer))
            .getList(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG);
    ClientProperties.accepted(() -> new ConsumerConfig(consumer));
    return new ForwardProperties(producer, consumer, Admins.properties(given), servers);
  }

  /** Without properties, which hold secrets. */
  @Override
  public String toString() {
    return "properties of a forwarder to " + servers;
  }

  /** Returns the properties of a producer without transactions. */
  static Map<String, Object> producer(Map<String, ?> given) {
    Map<String, Object> producer = new HashMap<>(DEFAULTS);
    producer.putAll(given);
    producer.keySet().removeIf(ForwardProperties::isOfConsumersOnly);
    producer.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    producer.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    producer.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    producer.put(ProducerConfig.ACKS_CONFIG, "all");
    return producer;
  }

  private static Map<String, Object> consumer(Map<String, ?> given, String id) {
    Map<String, Object> consumer = new HashMap<>(given);
    consumer.keySet().removeIf(ForwardProperties::isOfProducersOnly);
    consumer.remove(ConsumerConfig.INTERCEPTOR_CLASSES_CONFIG);
    consumer.put(ConsumerConfig.GROUP_ID_CONFIG, id);
    consumer.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    consumer.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    consumer.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    // Offsets are read once no transaction is open over them.
    consumer.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    ClientProperties.completeTimeouts(consumer);
    return consumer;
  }

  private static boolean isOfConsumersOnly(String name) {
    return ConsumerConfig.configNames().contains(name)
        && !ProducerConfig.configNames().contains(name);
  }

  static boolean isOfProducersOnly(String name) {
    return ProducerConfig.configNames().contains(name)
        && !ConsumerConfig.configNames().contains(name);
  }
}
