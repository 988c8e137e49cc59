package com.wookler.river.rest.server.memcache;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.subscriber.Delivery;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The messages that a connection has taken and neither completed nor given back, by queue, oldest
 * first. Confined to the connection's event loop.
 */
final class OpenReads {
  private static final Logger LOG = LoggerFactory.getLogger(OpenReads.class);

  private final Map<QueueName, Deque<Delivery<?>>> open = new HashMap<>();

  int count(QueueName queue) {
    Deque<Delivery<?>> all = open.get(queue);
    return all == null ? 0 : all.size();
  }

  void add(QueueName queue, Delivery<?> delivery) {
    open.computeIfAbsent(queue, first -> new ArrayDeque<>()).add(delivery);
  }

  /** Removes and returns the oldest one of a queue; null if there is none. */
  @Nullable Delivery<?> oldest(QueueName queue) {
    Deque<Delivery<?>> all = open.get(queue);
    Delivery<?> oldest = all == null ? null : all.poll();
    if (all != null && all.isEmpty()) {
      open.remove(queue);
    }
    return oldest;
  }

  /** Gives all of them back, the oldest first, as who waits gets the first one given back. */
  void releaseAll() {
    for (Deque<Delivery<?>> all : open.values()) {
      all.forEach(OpenReads::release);
    }
    open.clear();
  }

  /** Gives one back; if its queue is closed or deleted it comes again anyway. */
  static void release(Delivery<?> delivery) {
    try {
      delivery.release();
    } catch (RiverException e) {
      LOG.debug("Message {} was not given back", delivery.sequence(), e);
    }
  }

  /** Completes one; it was delivered again, or its queue deleted, if that cannot be. */
  static void complete(Delivery<?> delivery) {
    try {
      delivery.ack();
    } catch (RiverException e) {
      LOG.debug("Message {} was not completed", delivery.sequence(), e);
    }
  }
}
