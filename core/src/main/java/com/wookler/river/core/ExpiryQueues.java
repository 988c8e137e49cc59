package com.wookler.river.core;

import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.subscriber.ExpiredMessages;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The queues to which a queue hands on what expires: the one that the subscriber names, else the
 * one that the queue does, else none. Thread-safe.
 */
final class ExpiryQueues implements ExpiredMessages {
  private final QueueConfig<?> config;
  private final UUID identity;
  private final BlockLog log;
  private final Map<String, ExpiryQueue> byName = new ConcurrentHashMap<>();
  private final Map<String, Set<ExpiryQueue>> bySubscriber = new ConcurrentHashMap<>(); // it used

  ExpiryQueues(QueueConfig<?> config, UUID identity, BlockLog log) {
    this.config = config;
    this.identity = identity;
    this.log = log;
  }

  @Override
  public boolean keep(StoredMessage message, SubscriberConfig subscriber) {
    String named = subscriber.expiryQueue();
    String name = named == null ? config.find(QueueOptions.EXPIRY_QUEUE) : named;
    return name == null || keep(message, subscriber.name(), of(name));
  }

  private boolean keep(StoredMessage message, String subscriber, ExpiryQueue target) {
    usedBy(subscriber).add(target); // before it is kept
    return target.keep(message, subscriber);
  }

  private Set<ExpiryQueue> usedBy(String subscriber) {
    return bySubscriber.computeIfAbsent(
        subscriber.toLowerCase(Locale.ROOT), name -> ConcurrentHashMap.newKeySet());
  }

  private ExpiryQueue of(String name) {
    return byName.computeIfAbsent(
        name,
        to ->
            new ExpiryQueue(
                config.name(), identity, log, config.directory().resolve(to), config.time()));
  }

  @Override
  public void force(String subscriber) {
    Set<ExpiryQueue> used = bySubscriber.get(subscriber.toLowerCase(Locale.ROOT));
    if (used != null) {
      used.forEach(ExpiryQueue::force);
    }
  }
}
