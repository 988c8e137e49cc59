package com.wookler.river.rest.server.hosting;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.FullPolicy;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.QueueOptions;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.settings.Settings;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.core.subscriber.SubscriberOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A queue that the server offers, whatever the type of its data: requests and answers have bytes,
 * and the queue's converter stands between. What it refuses is the request's mistake.
 *
 * @param <M> type of the data
 */
public final class HostedQueue<M> {
  private final MessageQueue<M> queue;
  private final MessageConverter<M> converter;
  private volatile @Nullable Settings settings; // written under the lock of the catalog

  /** Volatile: whoever waits for its messages learns why they end. */
  private volatile boolean removed;

  /** Those that were asked for. */
  private final Map<String, HostedSubscriber<M>> subscribers = new ConcurrentHashMap<>();

  /** Held while one is looked for, made or removed, so that none is made by looking for it. */
  private final ReentrantLock changing = new ReentrantLock();

  /**
   * @param settings of a queue that was made by a request; null if the application has made it
   */
  HostedQueue(MessageQueue<M> queue, MessageConverter<M> converter, @Nullable Settings settings) {
    this.queue = queue;
    this.converter = converter;
    this.settings = settings;
  }

  public MessageQueue<M> queue() {
    return queue;
  }

  /** It is about to be removed by a request. */
  public void remove() {
    removed = true;
  }

  boolean isRemoved() {
    return removed;
  }

  /** Null if the application has made it. */
  public @Nullable Settings settings() {
    return settings;
  }

  /** The subscriber of this name, reopened if need be; null if nobody has subscribed by it. */
  @Nullable HostedSubscriber<M> find(String subscriber) {
    HostedSubscriber<M> known = subscribers.get(subscriber);
    if (known != null) {
      return known;
    }
    changing.lock();
    try {
      return queue.subscriberNames().contains(subscriber)
          ? opened(queue.subscriber(subscriber))
          : null;
    } finally {
      changing.unlock();
    }
  }

  /**
   * The subscriber with these settings, made if need be.
   *
   * @throws RequestException there is one with others
   */
  public Made<M> make(SubscriberConfig config) {
    changing.lock();
    try {
      HostedSubscriber<M> there = find(config.name());
      if (there == null) {
        String other = sameButForCase(config.name());
        if (other != null) {
          throw RequestException.of(
              RequestException.Reason.CONFLICT,
              "there is a subscriber '" + other + "', the same name but for case");
        }
        return new Made<>(opened(queue.subscriber(config)), true);
      }
      ObjectNode asked = SettingsJson.SUBSCRIBER.all(config.settings());
      ObjectNode known = SettingsJson.SUBSCRIBER.all(there.subscriber().config().settings());
      if (!asked.toString().equals(known.toString())) {
        throw RequestException.of(
            RequestException.Reason.CONFLICT,
            "subscriber " + config.name() + " has other settings");
      }
      return new Made<>(there, false);
    } finally {
      changing.unlock();
    }
  }

  void settings(Settings changed) {
    settings = changed;
  }

  /**
   * Changes what is given of a subscriber's settings.
   *
   * @throws RequestException an option cannot change while the queue runs
   */
  public void change(HostedSubscriber<?> subscriber, Settings asked) {
    String name = subscriber.subscriber().name();
    Settings before = subscriber.subscriber().config().settings();
    conflicting(
        () ->
            queue.reconfigure(
                changes -> changes.subscriber(name, before, before.withGiven(asked))));
  }

  /** What cannot change is a conflict with what is there. */
  static void conflicting(Runnable change) {
    try {
      change.run();
    } catch (ConfigurationException e) {
      throw RequestException.of(RequestException.Reason.CONFLICT, String.valueOf(e.getMessage()));
    }
  }

  /**
   * A subscriber as requests make it: it acknowledges unless they say otherwise.
   *
   * @throws RequestException it cannot have these settings
   */
  public static SubscriberConfig subscriber(String name, Settings asked) {
    Settings settings =
        asked.isGiven(SubscriberOptions.ACK_REQUIRED)
            ? asked
            : asked.with(SubscriberOptions.ACK_REQUIRED, true);
    return RequestException.checked(
        "body", () -> SubscriberConfig.builder(name).settings(settings).build());
  }

  private @Nullable String sameButForCase(String subscriber) {
    return queue.subscriberNames().stream()
        .filter(subscriber::equalsIgnoreCase)
        .findFirst()
        .orElse(null);
  }

  /** A subscriber, and whether it was made just now. */
  public record Made<M>(HostedSubscriber<M> subscriber, boolean made) {}

  private HostedSubscriber<M> opened(Subscriber<M> subscriber) {
    HostedSubscriber<M> hosted = new HostedSubscriber<>(queue.name(), subscriber);
    subscribers.put(subscriber.name(), hosted);
    return hosted;
  }

  /** Forgets one that has ended, so that it is opened anew; false if a request has removed it. */
  @CanIgnoreReturnValue
  boolean forget(HostedSubscriber<?> ended) {
    return subscribers.remove(ended.subscriber().name(), ended);
  }

  /** Ends a subscription; false if there was none. */
  public boolean remove(String subscriber) {
    changing.lock();
    try {
      subscribers.remove(subscriber);
      return queue.removeSubscriber(subscriber);
    } finally {
      changing.unlock();
    }
  }

  /** All who have subscribed, by name. */
  public List<HostedSubscriber<M>> subscribers() {
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
  public boolean mayWait() {
    Settings now = settings;
    return now == null || now.get(QueueOptions.FULL_POLICY) == FullPolicy.BLOCK;
  }

  /** A message of a request as the queue takes it. */
  public Message<M> message(Message<byte[]> bytes) {
    try {
      return bytes.withData(converter.fromBytes(bytes.data()));
    } catch (RuntimeException e) {
      throw RequestException.field("body", "the queue's converter refuses it: " + e.getMessage());
    }
  }

  /**
   * Returns whether the message that is stored at a sequence has this data, key and headers; true
   * if it cannot be read any more, because then nothing shows that it was another. May block.
   */
  public boolean holds(long sequence, Message<M> message) {
    try {
      Delivery<M> stored = queue.read(sequence).orElse(null);
      return stored == null
          || (Arrays.equals(stored.bytes(), converter.toBytes(message.data()))
              && Objects.equals(stored.key(), message.key())
              && areEqual(stored.headers(), message.headers()));
    } catch (RiverException e) {
      return true;
    }
  }

  private static boolean areEqual(Map<String, byte[]> some, Map<String, byte[]> others) {
    return some.keySet().equals(others.keySet())
        && some.entrySet().stream()
            .allMatch(each -> Arrays.equals(each.getValue(), others.get(each.getKey())));
  }

  public List<Message<M>> messages(List<Message<byte[]>> all) {
    return all.stream().map(this::message).toList();
  }
}
