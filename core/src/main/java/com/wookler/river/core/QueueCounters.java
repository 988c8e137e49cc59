package com.wookler.river.core;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.counters.AbstractCounter;
import com.wookler.river.common.counters.Average;
import com.wookler.river.common.counters.Count;
import com.wookler.river.common.counters.Distribution;
import com.wookler.river.common.utils.CounterSet;
import com.wookler.river.common.utils.Monitoring;
import com.wookler.river.common.utils.StatsGauges;
import com.wookler.river.core.log.LogCounters;
import com.wookler.river.core.subscriber.DurableSubscriber;
import com.wookler.river.core.subscriber.SubscriberCounters;
import com.wookler.river.core.subscriber.SubscriberStats;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** Creates the counters and gauges of one queue, and removes them again. Thread-safe. */
final class QueueCounters {
  private final String queue;
  private final TimeSource time;
  private final String store;
  private final CounterSet counters = new CounterSet();
  private final Map<SubscriberCounters, StatsGauges<SubscriberStats>> gauges =
      new ConcurrentHashMap<>();

  QueueCounters(String queue, TimeSource time) {
    this.queue = queue;
    this.time = time;
    this.store = Constants.storeNamespace(queue);
  }

  LogCounters log() {
    String blocks = Constants.MONITOR_BLOCK_NAMESPACE;
    return new LogCounters(
        count(Constants.MONITOR_COUNTER_ADDS),
        own(false, Constants.MONITOR_COUNTER_ADDS),
        counters.local(blocks, Constants.MONITOR_COUNTER_BLOCK_WRITE_TIME, Average.class),
        counters.shared(blocks, Constants.MONITOR_COUNTER_BLOCK_READ_TIME, Average.class));
  }

  /** Creates a counter of this queue, which its namespace names, and its meter's tag. */
  private AbstractCounter own(boolean shared, String name) {
    return counters.owned(shared, store, name, "river.queue." + name, tags());
  }

  private Map<String, String> tags() {
    return Map.of(Constants.MONITOR_LABEL_QUEUE, queue);
  }

  /** Creates the distribution of the times of publishes. */
  Distribution publishTimes() {
    return counters.distribution("river.publish", tags(), Distribution.Unit.NANOSECONDS);
  }

  /** Creates the distribution of the sizes of the messages that are published. */
  Distribution publishSizes() {
    return counters.distribution("river.publish.bytes", tags(), Distribution.Unit.BYTES);
  }

  private AbstractCounter count(String name) {
    return counters.local(Constants.MONITOR_NAMESPACE, name, Count.class);
  }

  AbstractCounter damaged() {
    return own(true, Constants.MONITOR_COUNTER_DAMAGED);
  }

  AbstractCounter delayed() {
    return own(false, Constants.MONITOR_COUNTER_DELAYED);
  }

  AbstractCounter addTime() {
    return counters.shared(
        Constants.MONITOR_NAMESPACE, Constants.MONITOR_COUNTER_ADD_TIME, Average.class);
  }

  SubscriberCounters subscriber(String name) {
    Map<String, String> tags =
        Map.of(Constants.MONITOR_LABEL_QUEUE, queue, Constants.MONITOR_LABEL_SUBSCRIBER, name);
    return new SubscriberCounters(
        count(Constants.MONITOR_COUNTER_READS),
        own(false, Constants.MONITOR_COUNTER_READS),
        count(Constants.MONITOR_COUNTER_ACKS),
        count(Constants.MONITOR_COUNTER_REDELIVERED),
        count(Constants.MONITOR_COUNTER_DEAD),
        count(Constants.MONITOR_COUNTER_DEAD_DROPPED),
        counters.local(
            Constants.MONITOR_NAMESPACE, Constants.MONITOR_COUNTER_READ_TIME, Average.class),
        counters.distribution("river.poll", tags, Distribution.Unit.NANOSECONDS));
  }

  /** Reports what a queue holds, until the gauges are closed. */
  StatsGauges<QueueStats> show(Supplier<QueueStats> stats) {
    return QueueGauges.ofQueue(queue, stats, time);
  }

  /** Reports a subscriber as long as it is open; called without a lock. */
  void show(DurableSubscriber<?> subscriber) {
    if (gauges.containsKey(subscriber.counters())) {
      return;
    }
    StatsGauges<SubscriberStats> shown = QueueGauges.ofSubscriber(queue, subscriber, time);
    if (gauges.putIfAbsent(subscriber.counters(), shown) == null) {
      QueueGauges.show(shown);
      if (!subscriber.isOpen()) { // closed since, perhaps before it was added here
        hide(subscriber.counters());
      }
    }
  }

  private void hide(SubscriberCounters of) {
    StatsGauges<SubscriberStats> shown = gauges.remove(of);
    if (shown != null) {
      shown.close();
    }
  }

  void remove(SubscriberCounters closed) {
    hide(closed);
    counters.remove(closed.reads());
    counters.remove(closed.storeReads());
    counters.remove(closed.acks());
    counters.remove(closed.redelivered());
    counters.remove(closed.dead());
    counters.remove(closed.deadDropped());
    counters.remove(closed.readTime());
    counters.remove(closed.polls());
  }

  void close() {
    counters.close();
  }

  /** Forgets what a deleted queue has counted; a closed one leaves it in the reports. */
  static void forget(String queue, List<String> subscribers) {
    Monitoring.forget(Constants.storeNamespace(queue));
    subscribers.forEach(subscriber -> forgetDead(queue, subscriber));
  }

  /** Forgets what the queue of a removed subscriber's dead letters has counted. */
  static void forgetDead(String queue, String subscriber) {
    Monitoring.forget(Constants.storeNamespace(queue + "." + subscriber + Names.DEAD));
  }
}
