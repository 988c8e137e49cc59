package com.wookler.river.rest.server.hosting;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.settings.Settings;
import com.wookler.river.core.Changes;
import com.wookler.river.core.FullPolicy;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.QueueOptions;
import com.wookler.river.core.QueueState;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.core.subscriber.SubscriberOptions;
import com.wookler.river.forward.Forwards;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A queue that the server serves, with any type of data: requests and responses contain bytes,
 * which the queue's converter converts. If the converter rejects them, the request is invalid.
 *
 * @param <M> type of the data
 */
public final class HostedQueue<M> {
  private static final Logger LOG = LoggerFactory.getLogger(HostedQueue.class);

  private final MessageQueue<M> queue;
  private final MessageConverter<M> converter;
  private final MessageDecoders decoders;
  private final SettingsSource source;
  private volatile @Nullable Settings settings; // written under the catalog's lock

  /** Volatile: set before polls end, which read it for the reason. */
  private volatile boolean removed;

  /** The subscribers that requests have used. */
  private final Map<String, HostedSubscriber<M>> subscribers = new ConcurrentHashMap<>();

  /**
   * Held while a subscriber is looked up, created or removed, so that a lookup does not recreate
   * one that is being removed.
   */
  private final ReentrantLock changing = new ReentrantLock();

  /** Creates it for a queue that a request created with these settings. */
  HostedQueue(
      MessageQueue<M> queue,
      MessageConverter<M> converter,
      MessageDecoders decoders,
      Settings settings) {
    this.queue = queue;
    this.converter = converter;
    this.decoders = decoders;
    this.settings = settings;
    this.source = SettingsSource.REQUEST;
  }

  /** Creates it for a queue that no request created. */
  HostedQueue(
      MessageQueue<M> queue,
      MessageConverter<M> converter,
      MessageDecoders decoders,
      SettingsSource source) {
    this.queue = queue;
    this.converter = converter;
    this.decoders = decoders;
    this.source = source;
  }

  public MessageQueue<M> queue() {
    return queue;
  }

  /** Marks the queue as being deleted by a request. */
  public void remove() {
    removed = true;
  }

  boolean isRemoved() {
    return removed;
  }

  /** Returns the settings that requests asked for; null if no request created the queue. */
  public @Nullable Settings settings() {
    return settings;
  }

  /** Returns the settings that were given, by whatever created the queue. */
  public Settings given() {
    Settings asked = settings;
    return asked == null ? queue.settings() : asked;
  }

  public SettingsSource source() {
    return source;
  }

  /** Returns the subscriber of this name if a request has used it; else null. Does not block. */
  public @Nullable HostedSubscriber<M> known(String subscriber) {
    return subscribers.get(subscriber);
  }

  /** Returns the subscriber of this name, reopened if necessary; null if there is none. */
  public @Nullable HostedSubscriber<M> find(String subscriber) {
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

  /** Returns the subscriber with these settings, and creates it if it does not exist. */
  public Created<M> getOrCreate(SubscriberConfig given) {
    return getOrCreate(given, null);
  }

  /**
   * Returns the subscriber with these settings, and creates it if it does not exist.
   *
   * @param expected the version of the settings that it has; null for any, or none
   * @throws RequestException the subscriber exists with other settings
   */
  public Created<M> getOrCreate(SubscriberConfig given, @Nullable String expected) {
    SubscriberConfig config = queue.completed(given);
    changing.lock();
    try {
      HostedSubscriber<M> existing = find(config.name());
      if (existing == null) {
        String other = nameInOtherCase(config.name());
        if (other != null) {
          throw RequestException.of(
              RequestException.Reason.CONFLICT,
              "there is a subscriber '" + other + "', whose name differs in case only");
        }
        SettingsVersion.checkNone(expected, "subscriber " + config.name());
        return new Created<>(opened(queue.subscriber(config)), true);
      }
      ObjectNode asked = SettingsJson.SUBSCRIBER.all(config.settings());
      ObjectNode known = SettingsJson.SUBSCRIBER.all(existing.subscriber().config().settings());
      SettingsVersion.check(expected, known);
      if (!asked.toString().equals(known.toString())) {
        throw RequestException.of(
            RequestException.Reason.CONFLICT,
            "subscriber " + config.name() + " has other settings");
      }
      return new Created<>(existing, false);
    } finally {
      changing.unlock();
    }
  }

  /** Returns whether the queue runs and forwards to another one. */
  boolean forwardsTo(String target) {
    return queue.state() == QueueState.RUNNING
        && Forwards.of(queue).configs().stream().anyMatch(each -> each.target().equals(target));
  }

  void settings(Settings changed) {
    settings = changed;
  }

  /**
   * Changes the settings of a subscriber that are given.
   *
   * @param expected the version of the settings before; null for any
   * @throws RequestException an option cannot change while the queue runs
   */
  public void change(HostedSubscriber<?> subscriber, Settings asked, @Nullable String expected) {
    String name = subscriber.subscriber().name();
    changing.lock();
    try {
      Settings before = subscriber.subscriber().config().settings();
      SettingsVersion.check(expected, SettingsJson.SUBSCRIBER.all(before));
      change(changes -> changes.subscriber(name, before, before.withGiven(asked)));
    } finally {
      changing.unlock();
    }
  }

  /** Changes what may change while the queue runs; else it is a conflict. */
  void change(Consumer<Changes> changes) {
    var unused =
        RequestException.orConflict(
            () -> {
              queue.reconfigure(changes);
              return queue;
            });
  }

  /**
   * Returns the configuration of a subscriber that a request creates. It requires acknowledgements
   * by default.
   *
   * @throws RequestException the settings are not valid
   */
  public static SubscriberConfig subscriber(String name, Settings asked) {
    Settings settings =
        asked.isGiven(SubscriberOptions.ACK_REQUIRED)
            ? asked
            : asked.with(SubscriberOptions.ACK_REQUIRED, true);
    return RequestException.checked(
        "body", () -> SubscriberConfig.builder(name).settings(settings).build());
  }

  private @Nullable String nameInOtherCase(String subscriber) {
    return queue.subscriberNames().stream()
        .filter(subscriber::equalsIgnoreCase)
        .findFirst()
        .orElse(null);
  }

  /** A subscriber, and whether it was created just now. */
  public record Created<M>(HostedSubscriber<M> subscriber, boolean created) {}

  private HostedSubscriber<M> opened(Subscriber<M> subscriber) {
    HostedSubscriber<M> hosted = new HostedSubscriber<>(queue.name(), subscriber);
    subscribers.put(subscriber.name(), hosted);
    return hosted;
  }

  /**
   * Removes a closed subscriber from the cache, so that it is reopened; returns false if a request
   * has removed it.
   */
  @CanIgnoreReturnValue
  boolean forget(HostedSubscriber<?> ended) {
    HostedSubscriber<M> known = subscribers.get(ended.subscriber().name());
    return known != null
        && known.subscriber() == ended.subscriber()
        && subscribers.remove(ended.subscriber().name(), known);
  }

  /** Removes a subscriber, and returns whether there was one. */
  public boolean remove(String subscriber) {
    return remove(subscriber, null);
  }

  /**
   * Removes a subscriber, and returns whether there was one.
   *
   * @param expected the version of its settings; null for any
   */
  public boolean remove(String subscriber, @Nullable String expected) {
    changing.lock();
    try {
      HostedSubscriber<M> existing = expected == null ? null : find(subscriber);
      if (existing != null) {
        Settings settings = existing.subscriber().config().settings();
        SettingsVersion.check(expected, SettingsJson.SUBSCRIBER.all(settings));
      }
      subscribers.remove(subscriber);
      return queue.removeSubscriber(subscriber);
    } finally {
      changing.unlock();
    }
  }

  /** Returns all subscribers, ordered by name. */
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

  /**
   * Returns whether a publish may wait for capacity; true for an application's queue, of which that
   * is not known.
   */
  public boolean mayWait() {
    Settings now = settings;
    return now == null || now.get(QueueOptions.FULL_POLICY) == FullPolicy.BLOCK;
  }

  /** Converts a message of a request to the type of the queue. */
  public Message<M> message(Message<byte[]> bytes) {
    try {
      return bytes.withData(converter.fromBytes(bytes.data()));
    } catch (RuntimeException e) {
      throw RequestException.field("body", "the queue's converter rejects it: " + e.getMessage());
    }
  }

  /**
   * Returns binary data as people are to see it: as the converter makes it text, or else a decoder.
   * Each gets a copy, which it may change.
   */
  public ShownText text(Map<String, byte[]> headers, byte[] data) {
    String text = converted(data);
    return text == null ? decoded(headers, data) : new ShownText(text, null);
  }

  /** Returns data as a decoder makes it text. */
  public ShownText decoded(Map<String, byte[]> headers, byte[] data) {
    return decoders.decode(queue.name(), headers, data);
  }

  public boolean hasDecoders() {
    return !decoders.isEmpty();
  }

  private @Nullable String converted(byte[] data) {
    try {
      return converter.toText(data.clone());
    } catch (RuntimeException | StackOverflowError | LinkageError e) { // of this message alone
      LOG.debug("The converter of queue {} makes no text of a message", queue.name(), e);
      return null;
    }
  }

  /**
   * Returns whether the message that is stored at a sequence has this data, key and headers; also
   * true if it cannot be read any more. May block.
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
