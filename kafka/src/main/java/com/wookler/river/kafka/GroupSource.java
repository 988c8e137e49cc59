package com.wookler.river.kafka;

import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Backoff;
import com.wookler.river.reactor.DeliverySource;
import java.util.Map;
import java.util.Set;

/**
 * A consumer group as a source.
 *
 * @param <M> type of the data
 */
record GroupSource<M>(
    Names names,
    TopicIdentity identity,
    MessageConverter<M> converter,
    Map<String, Object> properties,
    Backoff backoff,
    int maxDeliveries)
    implements DeliverySource<M> {
  /** What it reads, as whom, and where dead letters go. */
  record Names(String topic, String group, String deadLetters) {}

  @Override
  public String name() {
    return SourceMessages.name(names.group());
  }

  @Override
  public String origin() {
    return identity.origin();
  }

  @Override
  public Set<Capability> capabilities() {
    return Set.of(Capability.KEY_ORDER);
  }

  @Override
  public Consumer<M> consumer(int max) {
    DeadLetterTopic.create(names.deadLetters(), properties);
    return GroupConsumer.open(this, max);
  }
}
