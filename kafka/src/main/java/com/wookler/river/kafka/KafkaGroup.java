package com.wookler.river.kafka;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.reactor.DeliverySource;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/**
 * A topic of Apache Kafka as a source of reactors, read by a consumer group: each thread has some
 * of the partitions. The messages of a key are processed one after the other, in their order, as by
 * a subscriber with {@link com.wookler.river.core.subscriber.Order#KEY}: a message that is to be
 * delivered again, after a delay perhaps, locks its key and no other.
 *
 * <p>Offsets are committed up to the lowest message that is not completed, so after a kill or when
 * partitions move, messages that were completed after it are processed again. About a thousand
 * messages of a partition are held at most; while one of them waits for long, what comes after them
 * waits as well. A message that is rejected, or fails at its last delivery, is copied to the dead
 * letter topic before its offset is committed. Attempts count from when the partition was assigned.
 *
 * <p>When members join or leave, partitions move between batches: a batch that is answered within
 * half of {@code max.poll.interval.ms} (5 minutes) is never disturbed. One that takes longer is
 * kept in its group by a poll, in which a partition may move; then its messages are processed by
 * the new member at the same time, the order of its keys is broken, and its answers for that
 * partition are dropped. So set the property to twice as long as a batch takes at most.
 *
 * <p>{@code group.instance.id} is refused: the consumers of a reactor's threads would shut each
 * other out.
 */
public final class KafkaGroup {
  private static final List<String> OWN =
      List.of(
          ConsumerConfig.GROUP_ID_CONFIG,
          ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
          ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
          ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG);

  private KafkaGroup() {}

  /**
   * Returns a source with the default settings.
   *
   * @param properties Kafka's own, of consumers: {@code bootstrap.servers} at least
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
    private Builder(Start<M> start) {
      super(start, ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, 0);
    }

    @Override
    Builder<M> self() {
      return this;
    }

    @Override
    public DeliverySource<M> build() {
      ClientProperties.refuse(properties(), OWN, "source");
      if (properties().containsKey(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG)) {
        throw new ConfigurationException(
            "the property group.instance.id of Kafka is for one consumer, and a reactor has one for"
                + " each thread; leave it out");
      }
      if (maxDeliveries() < 0) {
        throw new ConfigurationException(
            "a message cannot have " + maxDeliveries() + " deliveries");
      }
      return new GroupSource<>(settings(properties()));
    }
  }
}
