package com.wookler.river.kafka;

import com.wookler.river.common.errors.ConfigurationException;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerConfig;

/** Kafka's properties of the publisher of a queue whose engine is Kafka. */
final class PublisherProperties {
  private PublisherProperties() {}

  /**
   * Returns those of a producer without transactions, checked and completed.
   *
   * @param given of all clients of the queue
   * @throws ConfigurationException one is the engine's own, or Kafka refuses it
   */
  static Map<String, Object> of(Map<String, ?> given) {
    ClientProperties.refuse(given, ForwardProperties.OWN, "engine");
    Map<String, Object> all = new HashMap<>(given);
    all.putIfAbsent(ProducerConfig.LINGER_MS_CONFIG, 0); // each publish waits for its answer
    all.keySet().removeIf(GroupSettings::isOfGroup);
    Map<String, Object> producer = ForwardProperties.producer(all);
    ClientProperties.accepted(() -> new ProducerConfig(producer));
    return producer;
  }
}
