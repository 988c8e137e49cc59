package com.wookler.river.rest.server.memcache;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The messages that a connection has taken and neither completed nor given back, by queue, oldest
 * first. Confined to the connection's event loop.
 */
final class OpenReads {
  private final Map<QueueName, Deque<Held>> open = new HashMap<>();

  int count(QueueName queue) {
    Deque<Held> all = open.get(queue);
    return all == null ? 0 : all.size();
  }

  void add(QueueName queue, Held held) {
    open.computeIfAbsent(queue, first -> new ArrayDeque<>()).add(held);
  }

  /** Removes and returns the oldest one of a queue; null if there is none. */
  @Nullable Held oldest(QueueName queue) {
    Deque<Held> all = open.get(queue);
    Held oldest = all == null ? null : all.poll();
    if (all != null && all.isEmpty()) {
      open.remove(queue);
    }
    return oldest;
  }

  /** Gives all of them back, the oldest first, as who waits gets the first one given back. */
  void releaseAll() {
    for (Deque<Held> all : open.values()) {
      all.forEach(Held::release);
    }
    open.clear();
  }
}
