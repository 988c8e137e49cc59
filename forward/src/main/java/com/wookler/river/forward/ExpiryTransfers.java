package com.wookler.river.forward;

import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.subscriber.ExpiredMessages;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.core.transfer.Endpoint;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Transfers what expires for the subscribers of a queue to the queue that the subscriber names,
 * else to the one that the source names, else to none. Thread-safe.
 */
final class ExpiryTransfers implements ExpiredMessages {
  private final Endpoint source;
  private final Supplier<@Nullable String> queueOfSource;
  // by subscriber, in lower case, and target
  private final Map<String, Map<String, ExpiryTransfer>> transfers = new ConcurrentHashMap<>();

  ExpiryTransfers(Endpoint source, Supplier<@Nullable String> queueOfSource) {
    this.source = source;
    this.queueOfSource = queueOfSource;
  }

  @Override
  public boolean keep(StoredMessage message, SubscriberConfig subscriber) {
    String named = subscriber.expiryQueue();
    String target = named == null ? queueOfSource.get() : named;
    return target == null || transfer(subscriber.name(), target).keep(message);
  }

  private ExpiryTransfer transfer(String subscriber, String target) {
    return transfers
        .computeIfAbsent(key(subscriber), name -> new ConcurrentHashMap<>())
        .computeIfAbsent(target, to -> new ExpiryTransfer(source, subscriber, to));
  }

  @Override
  public void force(String subscriber) {
    transfers.getOrDefault(key(subscriber), Map.of()).values().forEach(ExpiryTransfer::force);
  }

  private static String key(String subscriber) {
    return subscriber.toLowerCase(Locale.ROOT);
  }
}
