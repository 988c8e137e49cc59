package com.wookler.river.kafka;

import com.wookler.river.common.settings.Option;
import com.wookler.river.common.settings.OptionTable;

/**
 * The options of a queue whose engine is Kafka, and of its subscribers, one row each: XML, the
 * schema and docs/configuration.md are made from these rows.
 */
final class EngineOptions {
  static final String QUEUE = "queue";
  static final String SUBSCRIBER = "subscriber";

  /** All options of such a queue. */
  static final OptionTable TABLE = new OptionTable(QUEUE);

  /** What reads a topic for a reactor. */
  enum Consumers {
    /** {@link KafkaGroup}. */
    GROUP,
    /** {@link KafkaShare}. */
    SHARE
  }

  static final Option<String> TOPIC =
      TABLE
          .text("engine.topic")
          .dflt(null, "the queue's name")
          .means("the topic, which must exist");

  static {
    TABLE.element(SUBSCRIBER);
  }

  static final Option<Consumers> CONSUMERS =
      TABLE
          .constant("engine.consumers", Consumers.GROUP)
          .java("KafkaGroup, KafkaShare")
          .means(
              "a consumer group, which keeps the order of keys, or a share group, whose members"
                  + " compete for messages");

  static final Option<String> GROUP =
      TABLE
          .text("engine.group")
          .dflt(null, "topic, `-`, the subscriber's name")
          .means("the group's id in the cluster");

  static final Option<String> DEAD_TOPIC =
      TABLE
          .text("engine.dead.topic")
          .dflt(null, "the group, `-dead`")
          .java("deadLetterTopic(String)")
          .means("the topic of dead letters, created if it is missing");

  static {
    TABLE.end();
  }

  private EngineOptions() {}
}
