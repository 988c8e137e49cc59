package com.wookler.river.kafka;

import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Backoff;
import com.wookler.river.reactor.DeliverySource;
import java.util.Set;

/**
 * A share group as a source.
 *
 * @param topic that it reads
 * @param identity of the topic
 * @param deadLetters the topic of dead letters
 * @param maxDeliveries how often a message is processed at most
 * @param <M> type of the data
 */
record ShareSource<M>(
    String topic,
    TopicIdentity identity,
    MessageConverter<M> converter,
    GroupSettings settings,
    String deadLetters,
    Backoff backoff,
    int maxDeliveries)
    implements DeliverySource<M> {
  String group() {
    return settings.name();
  }

  @Override
  public String name() {
    return SourceMessages.name(group());
  }

  @Override
  public String origin() {
    return identity.origin();
  }

  @Override
  public Set<Capability> capabilities() {
    return Set.of();
  }

  @Override
  public String alternative() {
    return "KafkaGroup.source, whose consumer group keeps the order of keys, or a queue's"
        + " subscriber";
  }

  @Override
  public Consumer<M> consumer(int max) {
    settings.apply(deadLetters);
    return ShareGroupConsumer.open(this, max);
  }
}
