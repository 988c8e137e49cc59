package com.wookler.river.spring;

import com.wookler.river.core.MessageQueue;
import java.util.Map;
import java.util.Optional;

/**
 * The queues of the application, opened on demand and closed with it: after the listeners, and
 * after the beans that have one of them. Thread-safe.
 *
 * <pre>{@code
 * @Bean
 * MessageQueue<Order> orders(RiverQueues queues) {
 *   return queues.open("orders", Order.class);
 * }
 * }</pre>
 */
public interface RiverQueues {
  /**
   * Returns the queue of this name, opened with the settings of {@code river.queues.<name>} if it
   * is not open. A queue of {@code river.config} has the converter of that file; the caller must
   * know the type of its data.
   *
   * @param type of its data, by which {@link RiverConverters} chooses the converter
   * @throws com.wookler.river.common.errors.ConfigurationException it is open, or configured, for
   *     another type, or a setting is wrong
   * @throws com.wookler.river.core.message.QueueLockedException another process has the directory
   */
  <T> MessageQueue<T> open(String name, Class<T> type);

  /** Returns the queue of this name, if it is open. */
  Optional<MessageQueue<?>> find(String name);

  /** Returns the queues that are open, by name. */
  Map<String, MessageQueue<?>> all();
}
