package com.wookler.river.core;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.subscriber.DurableSubscriber;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The subscribers of a queue, open and closed, by their names without case. Read by any thread;
 * changed under the monitor of {@link SubscriberRegistry}, but for a closing.
 */
final class SubscriberEntries<M> {
  private final Map<String, Entry<M>> all = new ConcurrentHashMap<>();

  /** A subscriber; while it is closed, its low watermark is kept here. */
  record Entry<M>(
      SubscriberConfig config, @Nullable DurableSubscriber<M> open, long closedLowWatermark) {
    long lowWatermark() {
      return open == null ? closedLowWatermark : open.lowWatermark();
    }

    boolean isPending(long sequence) {
      return open == null ? closedLowWatermark <= sequence : open.isPending(sequence);
    }

    Use use() {
      return new Use(config, open, open == null ? 0 : open.uses(), lowWatermark());
    }

    /** Refuses settings that do not fit; {@code guessed}: its own were not found, but guessed. */
    void check(SubscriberConfig asked, String queue, boolean guessed) {
      String who = "queue " + queue + ", subscriber " + asked.name();
      if (!config.name().equals(asked.name())) {
        throw new ConfigurationException(
            who + ": there is one called " + config.name() + ", the same name but for case");
      }
      if (open != null || !guessed) {
        refuseOther(who, config, asked);
      }
      if (open != null && !config.equalsButForStart(asked)) {
        throw new ConfigurationException(
            "%s: it is open with other settings: %s; close it first, or reconfigure the queue"
                .formatted(who, String.join("; ", config.differences(asked))));
      }
    }
  }

  /** How far a subscriber has been used: two that are the same have seen no use between them. */
  record Use(
      SubscriberConfig config, @Nullable DurableSubscriber<?> open, long uses, long lowWatermark) {
    String name() {
      return config.name();
    }

    boolean isSame(Use now) {
      return open == now.open && uses == now.uses && (open == null || !open.isInUse());
    }
  }

  /** Refuses settings with which a subscriber that has others can never be opened. */
  static void refuseOther(String who, SubscriberConfig known, SubscriberConfig asked) {
    boolean isOtherAck = known.ackRequired() != asked.ackRequired();
    boolean isOtherOrder =
        (known.order() == Order.KEY) != (asked.order() == Order.KEY); // its files differ
    if (isOtherAck || isOtherOrder) {
      throw new ConfigurationException(
          who
              + ": it was created with "
              + (isOtherAck ? "ack required = " + known.ackRequired() : "order = " + known.order())
              + ", which cannot change; use another name, or remove the subscriber first");
    }
  }

  private static String key(String name) {
    return name.toLowerCase(Locale.ROOT);
  }

  @Nullable Entry<M> get(String name) {
    return all.get(key(name));
  }

  void put(SubscriberConfig config, @Nullable DurableSubscriber<M> open, long closedLowWatermark) {
    all.put(key(config.name()), new Entry<>(config, open, closedLowWatermark));
  }

  /** Gives it other settings; it may have been closed meanwhile. */
  void reconfigure(SubscriberConfig config) {
    all.computeIfPresent(
        key(config.name()), (name, now) -> new Entry<>(config, now.open, now.closedLowWatermark));
  }

  /** Keeps the low watermark of one that was closed, unless another one is open by its name. */
  void closed(DurableSubscriber<M> subscriber) {
    all.computeIfPresent(
        key(subscriber.name()),
        (name, entry) ->
            entry.open == subscriber
                ? new Entry<>(entry.config, null, subscriber.lowWatermark())
                : entry);
  }

  void remove(String name) {
    all.remove(key(name));
  }

  Collection<Entry<M>> all() {
    return all.values();
  }

  List<String> names() {
    return all.values().stream().map(entry -> entry.config.name()).sorted().toList();
  }

  List<DurableSubscriber<M>> open() {
    List<DurableSubscriber<M>> open = new ArrayList<>();
    for (Entry<M> entry : all.values()) {
      if (entry.open != null) {
        open.add(entry.open);
      }
    }
    return open;
  }

  /** Returns the lowest sequence that any still needs; empty without subscribers. */
  OptionalLong lowWatermark() {
    return all.values().stream().mapToLong(Entry::lowWatermark).min();
  }
}
