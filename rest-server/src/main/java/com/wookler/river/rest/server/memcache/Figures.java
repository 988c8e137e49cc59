package com.wookler.river.rest.server.memcache;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** What connections did since the server was started. Thread-safe. */
final class Figures {
  final AtomicLong connections = new AtomicLong();
  final LongAdder connected = new LongAdder();
  final LongAdder gets = new LongAdder();
  final LongAdder sets = new LongAdder();
  final LongAdder stored = new LongAdder();
  final LongAdder peeks = new LongAdder();
  final LongAdder hits = new LongAdder();
  final LongAdder misses = new LongAdder();
  final LongAdder bytesRead = new LongAdder();
  final LongAdder bytesWritten = new LongAdder();
  final LongAdder created = new LongAdder();
  final LongAdder deleted = new LongAdder();
  private final Map<QueueName, OfQueue> queues = new ConcurrentHashMap<>();

  /** What they did with one queue. */
  static final class OfQueue {
    final LongAdder opened = new LongAdder();
    final LongAdder canceled = new LongAdder();
    final LongAdder flushes = new LongAdder();
  }

  OfQueue of(QueueName queue) {
    return queues.computeIfAbsent(queue, first -> new OfQueue());
  }

  void forget(QueueName queue) {
    queues.remove(queue);
  }
}
