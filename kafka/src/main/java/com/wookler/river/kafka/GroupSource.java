package com.wookler.river.kafka;

import com.wookler.river.core.subscriber.Backoff;
import com.wookler.river.reactor.DeliverySource;
import java.util.Set;

/**
 * A consumer group as a source.
 *
 * @param <M> type of the data
 */
record GroupSource<M>(SourceSettings<M> settings) implements DeliverySource<M> {
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
    return Set.of(Capability.KEY_ORDER);
  }

  @Override
  public Backoff backoff() {
    return settings.backoff();
  }

  @Override
  public Consumer<M> consumer(int max) {
    DeadLetterTopic.create(settings.deadLetters(), settings.clients());
    return GroupConsumer.open(this, max);
  }
}
