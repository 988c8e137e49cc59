package com.wookler.river.kafka;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/**
 * What a topic is named for good: by the id that its cluster gave it, so that another cluster's
 * topic, or a later one, of the same name is another one. Thread-safe.
 */
final class TopicIdentity {
  private final String topic;
  private final Map<String, Object> clients;
  private volatile @Nullable String known; // once asked for

  TopicIdentity(String topic, Map<String, Object> clients) {
    this.topic = topic;
    this.clients = clients;
  }

  /**
   * Returns the origin of its messages; asks the brokers, the first time.
   *
   * @throws KafkaException they do not answer, or there is no such topic
   */
  String origin() {
    String origin = known;
    if (origin == null) {
      origin = "kafka:" + id();
      known = origin;
    }
    return origin;
  }

  private String id() {
    return Admins.ask(
        clients,
        "the identity of the topic " + topic + " is not known",
        admin ->
            admin
                .describeTopics(List.of(topic))
                .allTopicNames()
                .get()
                .values()
                .iterator()
                .next()
                .topicId()
                .toString());
  }
}
