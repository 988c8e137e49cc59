package com.wookler.river.kafka;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.reactor.DeliverySource;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/**
 * A topic of Apache Kafka as a source of reactors, read by a share group (brokers from 4.3 on): the
 * processes and threads of a group compete for its messages, as the consumers of a subscriber do.
 *
 * <pre>{@code
 * Reactor<Order> reactor =
 *     Reactor.builder(KafkaShare.source(properties, "orders", "billing", converter))
 *         .processor(order -> …)
 *         .threads(4)
 *         .start();
 * }</pre>
 *
 * <p>Each thread has a consumer: it takes messages, processes them, and acknowledges all of them
 * before it takes others; while a batch takes long its locks are renewed. A message that waits for
 * a retry, after a delay that the processor or {@link Builder#backoff} gives, stays with its
 * consumer, which takes nothing else until then: short delays are right here, and for long ones
 * {@link KafkaGroup} or a queue. Share groups keep no order, not of keys either, so {@code orderBy}
 * is refused.
 *
 * <p>A message that is rejected, or fails at its last delivery, is copied to the dead letter topic
 * before it is acknowledged, and stays with its consumer while that fails. Every delivery by the
 * brokers counts as an attempt. So what is released, by {@code holdBack} or a pause, stays with its
 * consumer, locked, and is delivered there again as the same attempt; only when the reactor is
 * closed is it given back, which counts. A reactor that is to take nothing for long is better
 * closed than paused: others could process what it has.
 *
 * <p>An acknowledgement that comes after its lock was lost is kept, and counts if the message comes
 * to the same consumer again. If it comes to another one, it is processed twice.
 *
 * <p>Beside Kafka's properties of consumers it takes those of a group, and sets them for the group
 * when a reactor starts: {@code share.auto.offset.reset} (default {@code latest}), {@code
 * share.isolation.level} (here {@code read_committed}), {@code share.record.lock.duration.ms} and
 * {@code share.delivery.count.limit} (here 10; it must be greater than {@link
 * Builder#maxDeliveries}, since what its last consumer loses by a kill is delivered no more).
 */
public final class KafkaShare {
  private static final List<String> OWN =
      List.of(
          ConsumerConfig.GROUP_ID_CONFIG,
          ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
          ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
          ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG);

  private static final List<String> OF_CONSUMER_GROUPS =
      List.of(
          ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
          ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
          ConsumerConfig.GROUP_INSTANCE_ID_CONFIG,
          ConsumerConfig.ISOLATION_LEVEL_CONFIG,
          ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
          ConsumerConfig.INTERCEPTOR_CLASSES_CONFIG,
          ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG,
          ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG,
          ConsumerConfig.GROUP_PROTOCOL_CONFIG);

  private KafkaShare() {}

  /**
   * Returns a source with the default settings.
   *
   * @param properties Kafka's own: {@code bootstrap.servers} at least
   * @throws ConfigurationException a property is refused
   */
  public static <M> DeliverySource<M> source(
      Map<String, ?> properties, String topic, String group, MessageConverter<M> converter) {
    return builder(properties, topic, group, converter).build();
  }

  /** Returns a builder with the default settings. */
  public static <M> Builder<M> builder(
      Map<String, ?> properties, String topic, String group, MessageConverter<M> converter) {
    return new Builder<>(new SourceBuilder.Start<>(properties, topic, group, converter));
  }

  /**
   * Collects the settings of a source. Not thread-safe.
   *
   * @param <M> type of the data
   */
  public static final class Builder<M> extends SourceBuilder<M, Builder<M>> {
    private static final int DELIVERIES = 5;

    private Builder(Start<M> start) {
      super(start, GroupSettings.OFFSET_RESET, DELIVERIES);
    }

    @Override
    Builder<M> self() {
      return this;
    }

    @Override
    public DeliverySource<M> build() {
      ClientProperties.refuse(properties(), OWN, "source");
      for (String name : OF_CONSUMER_GROUPS) {
        if (properties().containsKey(name)) {
          throw new ConfigurationException(
              String.format(
                  "share groups have no property %s (%s is theirs); leave it out, or use"
                      + " KafkaGroup.source",
                  name, GroupSettings.OFFSET_RESET));
        }
      }
      GroupSettings group = GroupSettings.of(group(), properties(), maxDeliveries());
      return new ShareSource<>(settings(group.clients()), group);
    }
  }
}
