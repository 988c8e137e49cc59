package com.wookler.river.spring;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.settings.Settings;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.core.subscriber.SubscriberOptions;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link RiverListener} says, its placeholders resolved.
 *
 * @param source the method, for errors
 * @param options of the subscriber, by name, as the annotation gives them
 */
record ListenerSettings(
    String source,
    String queue,
    String subscriber,
    Reading reading,
    boolean autoStartup,
    Map<String, String> options) {

  /**
   * How messages are taken.
   *
   * @param batchSize 0: the subscriber's
   * @param order null: that of the delivery
   */
  record Reading(int threads, boolean batch, int batchSize, @Nullable Order order) {}

  /**
   * Reads an annotation.
   *
   * @param source the method
   * @param name of a subscriber that the annotation does not name
   * @param resolve resolves placeholders
   * @throws ConfigurationException a value cannot be read
   */
  static ListenerSettings of(
      RiverListener from, String source, String name, UnaryOperator<@Nullable String> resolve) {
    String queue = text(from.queue(), resolve);
    if (queue.isEmpty()) {
      throw new ConfigurationException("@RiverListener on " + source + " names no queue");
    }
    String subscriber = text(from.subscriber(), resolve);
    Map<String, String> options = new LinkedHashMap<>();
    for (String each : from.options()) {
      String[] parts = text(each, resolve).split("\\s*=\\s*", 2);
      if (parts.length < 2) {
        throw new ConfigurationException(
            "@RiverListener on %s: option '%s' is not of the form name=value"
                .formatted(source, each));
      }
      options.put(parts[0], parts[1]);
    }
    add(options, SubscriberOptions.MAX_DELIVERIES.name(), text(from.maxDeliveries(), resolve));
    add(options, SubscriberOptions.BACKOFF.name(), text(from.backoff(), resolve));
    add(options, "subscriber.filter.expression", text(from.filter(), resolve));
    String order = text(from.order(), resolve).toUpperCase(Locale.ROOT);
    add(options, SubscriberOptions.ORDER.name(), order);
    return new ListenerSettings(
        source,
        queue,
        subscriber.isEmpty() ? name : subscriber,
        new Reading(
            number(from.concurrency(), source, "concurrency", resolve),
            from.batch(),
            text(from.batchSize(), resolve).isEmpty()
                ? 0
                : number(from.batchSize(), source, "batchSize", resolve),
            order(order, source)),
        flag(from.autoStartup(), source, resolve),
        options);
  }

  /** Returns {@code queue/subscriber}. */
  String id() {
    return queue + "/" + subscriber;
  }

  /** Returns the settings of its subscriber, which acknowledges; properties count most. */
  SubscriberConfig config(Map<String, String> properties) {
    Settings own = SubscriberOptions.TABLE.defaults().with(SubscriberOptions.ACK_REQUIRED, true);
    Settings annotated =
        OptionTexts.add(own, SubscriberOptions.TABLE, options, "@RiverListener on " + source);
    String where = "river.queues." + queue + ".subscribers." + subscriber;
    return SubscriberConfig.builder(subscriber)
        .settings(OptionTexts.add(annotated, SubscriberOptions.TABLE, properties, where))
        .build();
  }

  private static void add(Map<String, String> options, String name, String value) {
    if (!value.isEmpty()) {
      options.put(name, value);
    }
  }

  private static String text(String text, UnaryOperator<@Nullable String> resolve) {
    String resolved = resolve.apply(text);
    return resolved == null ? "" : resolved.trim();
  }

  private static boolean flag(
      String given, String source, UnaryOperator<@Nullable String> resolve) {
    String text = text(given, resolve).toLowerCase(Locale.ROOT);
    if (!text.equals("true") && !text.equals("false")) {
      throw new ConfigurationException(
          "@RiverListener on %s: autoStartup is '%s', which is neither true nor false"
              .formatted(source, text));
    }
    return text.equals("true");
  }

  private static @Nullable Order order(String text, String source) {
    if (text.isEmpty()) {
      return null;
    }
    for (Order each : Order.values()) {
      if (each.name().equals(text)) {
        return each;
      }
    }
    throw new ConfigurationException(
        "@RiverListener on %s: order is '%s'; sequence, key and strict are allowed"
            .formatted(source, text.toLowerCase(Locale.ROOT)));
  }

  private static int number(
      String given, String source, String what, UnaryOperator<@Nullable String> resolve) {
    String text = text(given, resolve);
    try {
      int number = Integer.parseInt(text);
      if (number >= 1) {
        return number;
      }
    } catch (NumberFormatException e) {
      // is refused below
    }
    throw new ConfigurationException(
        "@RiverListener on %s: %s is '%s', which is not a number of 1 or more"
            .formatted(source, what, text));
  }
}
