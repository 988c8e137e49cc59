package com.wookler.river.rest.server;

import com.wookler.river.core.FullPolicy;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A queue that the server offers, whatever the type of its data: requests and answers have bytes,
 * and the queue's converter stands between. What it refuses is the request's mistake.
 *
 * @param <M> type of the data
 */
final class HostedQueue<M> {
  private final MessageQueue<M> queue;
  private final MessageConverter<M> converter;
  private final @Nullable QueueSettingsJson settings;
  private final MessageJson<M> json;

  /** Those that were asked for; one that is closed by others is found anew. */
  private final Map<String, HostedSubscriber<M>> subscribers = new ConcurrentHashMap<>();

  /**
   * @param settings of a queue that was made by a request; null if the application has made it
   */
  HostedQueue(
      MessageQueue<M> queue, MessageConverter<M> converter, @Nullable QueueSettingsJson settings) {
    this.queue = queue;
    this.converter = converter;
    this.settings = settings;
    this.json = new MessageJson<>(converter::toBytes);
  }

  MessageQueue<M> queue() {
    return queue;
  }

  MessageJson<M> json() {
    return json;
  }

  /** Null if the application has made it. */
  @Nullable QueueSettingsJson settings() {
    return settings;
  }

  /** The subscriber of this name, reopened if need be; null if nobody has subscribed by it. */
  @Nullable HostedSubscriber<M> find(String subscriber) {
    HostedSubscriber<M> known = subscribers.get(subscriber);
    if (known != null) {
      return known;
    }
    return queue.subscriberNames().contains(subscriber)
        ? opened(queue.subscriber(subscriber))
        : null;
  }

  /** The subscriber with these settings, made if need be. */
  HostedSubscriber<M> make(SubscriberConfig config) {
    return opened(queue.subscriber(config));
  }

  private HostedSubscriber<M> opened(Subscriber<M> subscriber) {
    HostedSubscriber<M> hosted = new HostedSubscriber<>(queue.name(), subscriber, json);
    subscribers.put(subscriber.name(), hosted);
    return hosted;
  }

  /** Ends a subscription; false if there was none. */
  boolean remove(String subscriber) {
    subscribers.remove(subscriber);
    return queue.removeSubscriber(subscriber);
  }

  /** All who have subscribed, by name. */
  List<HostedSubscriber<M>> subscribers() {
    List<HostedSubscriber<M>> all = new ArrayList<>();
    for (String name : queue.subscriberNames()) {
      HostedSubscriber<M> found = find(name);
      if (found != null) {
        all.add(found);
      }
    }
    return all;
  }

  /** Whether a publish may wait for room; of an application's queue that is not known. */
  boolean mayWait() {
    return settings == null
        || (settings.whenFull() != null && settings.whenFull().policy() == FullPolicy.BLOCK);
  }

  /** A message of a request as the queue takes it. */
  Message<M> message(Message<byte[]> bytes) {
    try {
      return bytes.withData(converter.fromBytes(bytes.data()));
    } catch (RuntimeException e) {
      throw Problem.field("body", "the queue's converter refuses it: " + e.getMessage());
    }
  }

  List<Message<M>> messages(List<Message<byte[]>> all) {
    return all.stream().map(this::message).toList();
  }
}
