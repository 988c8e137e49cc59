package com.wookler.river.kafka;

import com.wookler.river.core.subscriber.Backoff;
import com.wookler.river.reactor.DeliverySource;
import java.util.Set;

/**
 * A share group as a source.
 *
 * @param group what the brokers keep for the group
 * @param <M> type of the data
 */
record ShareSource<M>(SourceSettings<M> settings, GroupSettings group)
    implements DeliverySource<M> {
  @Override
  public String name() {
    return SourceMessages.name(settings.group());
  }

  @Override
  public String origin() {
    return settings.identity().origin();
  }

  @Override
  public String queue() {
    return settings.topic();
  }

  @Override
  public Set<Capability> capabilities() {
    return Set.of();
  }

  @Override
  public String alternative() {
    return "KafkaGroup.source (in XML engine.consumers=GROUP), whose consumer group keeps the order"
        + " of keys, or a queue's subscriber";
  }

  @Override
  public Backoff backoff() {
    return settings.backoff();
  }

  @Override
  public Consumer<M> consumer(int max) {
    group.apply(settings.deadLetters());
    return ShareGroupConsumer.open(this, max);
  }
}
