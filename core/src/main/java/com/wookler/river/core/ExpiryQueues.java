package com.wookler.river.core;

import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.subscriber.ExpiredMessages;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The queues to which a queue hands on what expires: the one that the subscriber names, else the
 * one that the queue does, else none. Thread-safe.
 */
final class ExpiryQueues implements ExpiredMessages {
  private final QueueConfig<?> config;
  private final Map<String, ExpiryQueue> byName = new ConcurrentHashMap<>();

  ExpiryQueues(QueueConfig<?> config) {
    this.config = config;
  }

  /** Refuses a subscriber whose expired messages could go nowhere. */
  static void check(String queue, SubscriberConfig subscriber) {
    String name = subscriber.expiryQueue();
    if (name != null) {
      Names.check("queue", name);
      QueueConfig.check(
          queue,
          !name.equalsIgnoreCase(queue),
          "subscriber.expiry.queue of " + subscriber.name() + " is the queue itself; name another");
    }
  }

  @Override
  public boolean keep(StoredMessage message, SubscriberConfig subscriber) {
    String named = subscriber.expiryQueue();
    String name = named == null ? config.expiry().queue() : named;
    return name == null || of(name).keep(message, subscriber.name());
  }

  private ExpiryQueue of(String name) {
    return byName.computeIfAbsent(
        name, to -> new ExpiryQueue(config.name(), config.directory().resolve(to), config.time()));
  }

  @Override
  public void force() {
    byName.values().forEach(ExpiryQueue::force);
  }
}
