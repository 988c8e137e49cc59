package com.wookler.river.spring;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties under {@code river}.
 *
 * @param enabled Whether River is configured.
 * @param config A river.xml, whose queues are opened first. Without one, only the properties count.
 * @param directory Base directory of all queues that are not in the river.xml.
 * @param stopTimeout How long stopping waits for messages that listeners have begun to process.
 * @param options Options of all these queues, by their names in docs/configuration.md, such as
 *     queue.durability.
 * @param queues Settings of single queues, by name.
 */
@ConfigurationProperties("river")
public record RiverProperties(
    @DefaultValue("true") boolean enabled,
    @Nullable Path config,
    @DefaultValue("river-data") Path directory,
    @DefaultValue("30s") Duration stopTimeout,
    @DefaultValue Map<String, String> options,
    @DefaultValue Map<String, QueueProperties> queues) {

  /** Returns the settings of a queue; empty ones if there are none. */
  QueueProperties queue(String name) {
    return queues.getOrDefault(name, QueueProperties.NONE);
  }

  /**
   * The properties of one queue.
   *
   * @param type Class of its data; by default that of the first listener, template or bean.
   * @param options Options of the queue, by their names in docs/configuration.md.
   * @param subscribers Options of its subscribers, by the subscriber's name and then the option's.
   */
  public record QueueProperties(
      @Nullable Class<?> type,
      @DefaultValue Map<String, String> options,
      @DefaultValue Map<String, Map<String, String>> subscribers) {
    static final QueueProperties NONE = new QueueProperties(null, Map.of(), Map.of());

    /** Returns the options of a subscriber; none if there are none. */
    Map<String, String> subscriber(String name) {
      return subscribers.getOrDefault(name, Map.of());
    }
  }
}
