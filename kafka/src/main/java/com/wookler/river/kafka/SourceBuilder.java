package com.wookler.river.kafka;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Backoff;
import com.wookler.river.reactor.DeliverySource;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Collects the settings of a source. Not thread-safe.
 *
 * @param <M> type of the data
 * @param <B> of the builder itself
 */
abstract class SourceBuilder<M, B extends SourceBuilder<M, B>> {
  private final Map<String, Object> properties;
  private final String topic;
  private final String group;
  private final MessageConverter<M> converter;
  private final String offsetReset;
  private Backoff backoff = Backoff.none();
  private int maxDeliveries;
  private @Nullable String deadLetters;

  /** What a builder begins with. */
  record Start<M>(
      Map<String, ?> properties, String topic, String group, MessageConverter<M> converter) {
    Start {
      Objects.requireNonNull(properties, "properties");
      Objects.requireNonNull(topic, "topic");
      Objects.requireNonNull(group, "group");
      Objects.requireNonNull(converter, "converter");
    }
  }

  /**
   * Creates a builder.
   *
   * @param offsetReset the property that says where a new group begins
   */
  SourceBuilder(Start<M> start, String offsetReset, int maxDeliveries) {
    this.properties = new HashMap<>(start.properties());
    this.topic = start.topic();
    this.group = start.group();
    this.converter = start.converter();
    this.offsetReset = offsetReset;
    this.maxDeliveries = maxDeliveries;
  }

  abstract B self();

  /** Has a new group begin with the oldest message instead of what comes after it has begun. */
  @CanIgnoreReturnValue
  public B earliest() {
    properties.put(offsetReset, "earliest");
    return self();
  }

  /** Sets how long a message waits that is to be delivered again (default: not). */
  @CanIgnoreReturnValue
  public B backoff(Backoff rule) {
    backoff = Objects.requireNonNull(rule, "rule");
    return self();
  }

  /**
   * Sets how often a message is processed at most. Of a consumer group 0, the default, is without
   * limit; of a share group it is 5 by default, and less than {@code share.delivery.count.limit}.
   */
  @CanIgnoreReturnValue
  public B maxDeliveries(int deliveries) {
    maxDeliveries = deliveries;
    return self();
  }

  /**
   * Sets the topic of dead letters (default: topic, {@code -}, group, {@code -dead}), which is
   * created if it is missing.
   */
  @CanIgnoreReturnValue
  public B deadLetterTopic(String name) {
    deadLetters = Objects.requireNonNull(name, "name");
    return self();
  }

  /**
   * Builds the source.
   *
   * @throws ConfigurationException a property is refused
   */
  public abstract DeliverySource<M> build();

  Map<String, Object> properties() {
    return properties;
  }

  String group() {
    return group;
  }

  int maxDeliveries() {
    return maxDeliveries;
  }

  /** Returns the settings, with the properties of clients once those of a group are left out. */
  SourceSettings<M> settings(Map<String, Object> clients) {
    SourceMessages.check(clients);
    Map<String, Object> own = Map.copyOf(clients);
    String dead = deadLetters == null ? DeadLetterTopic.name(topic, group) : deadLetters;
    return new SourceSettings<>(
        new SourceSettings.Names(topic, group, dead),
        new TopicIdentity(topic, own),
        own,
        converter,
        backoff,
        maxDeliveries);
  }
}
