package com.wookler.river.core;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.counters.AbstractCounter;
import com.wookler.river.common.counters.Average;
import com.wookler.river.common.counters.Count;
import com.wookler.river.common.utils.CounterSet;
import com.wookler.river.common.utils.Monitoring;
import com.wookler.river.core.log.LogCounters;
import com.wookler.river.core.subscriber.DurableSubscriber;
import com.wookler.river.core.subscriber.SubscriberCounters;
import com.wookler.river.core.subscriber.SubscriberStats;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Makes the counters and figures of one queue and takes them out of the monitor's report again.
 *
 * <p>Thread-safe.
 */
final class QueueCounters {
  private final String queue;
  private final TimeSource time;
  private final String store;
  private final CounterSet counters = new CounterSet();

  /** Of those that are open. */
  private final Map<SubscriberCounters, Figures<SubscriberStats>> figures =
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
        counters.local(store, Constants.MONITOR_COUNTER_ADDS, Count.class),
        counters.local(blocks, Constants.MONITOR_COUNTER_BLOCK_WRITE_TIME, Average.class),
        counters.shared(blocks, Constants.MONITOR_COUNTER_BLOCK_READ_TIME, Average.class));
  }

  private AbstractCounter count(String name) {
    return counters.local(Constants.MONITOR_NAMESPACE, name, Count.class);
  }

  AbstractCounter damaged() {
    return counters.shared(store, Constants.MONITOR_COUNTER_DAMAGED, Count.class);
  }

  AbstractCounter delayed() {
    return counters.local(store, Constants.MONITOR_COUNTER_DELAYED, Count.class);
  }

  AbstractCounter addTime() {
    return counters.shared(
        Constants.MONITOR_NAMESPACE, Constants.MONITOR_COUNTER_ADD_TIME, Average.class);
  }

  SubscriberCounters subscriber() {
    return new SubscriberCounters(
        count(Constants.MONITOR_COUNTER_READS),
        counters.local(store, Constants.MONITOR_COUNTER_READS, Count.class),
        count(Constants.MONITOR_COUNTER_ACKS),
        count(Constants.MONITOR_COUNTER_REDELIVERED),
        count(Constants.MONITOR_COUNTER_DEAD),
        count(Constants.MONITOR_COUNTER_DEAD_DROPPED),
        counters.local(
            Constants.MONITOR_NAMESPACE, Constants.MONITOR_COUNTER_READ_TIME, Average.class));
  }

  /** Reports what a queue holds, until the figures are closed. */
  Figures<QueueStats> show(Supplier<QueueStats> stats) {
    return Figures.ofQueue(queue, stats, time);
  }

  /** Reports where a subscriber stands as long as it is open; called without a lock. */
  void show(DurableSubscriber<?> subscriber) {
    if (figures.containsKey(subscriber.counters())) {
      return;
    }
    Figures<SubscriberStats> shown = Figures.ofSubscriber(queue, subscriber, time);
    if (figures.putIfAbsent(subscriber.counters(), shown) == null) {
      Figures.show(shown);
      if (!subscriber.isOpen()) { // closed since: perhaps before it was known here
        hide(subscriber.counters());
      }
    }
  }

  private void hide(SubscriberCounters of) {
    Figures<SubscriberStats> shown = figures.remove(of);
    if (shown != null) {
      shown.close();
    }
  }

  void remove(SubscriberCounters gone) {
    hide(gone);
    counters.remove(gone.reads());
    counters.remove(gone.storeReads());
    counters.remove(gone.acks());
    counters.remove(gone.redelivered());
    counters.remove(gone.dead());
    counters.remove(gone.deadDropped());
    counters.remove(gone.readTime());
  }

  void close() {
    counters.close();
  }

  /**
   * Forgets what a deleted queue has counted by its name, which a closed one leaves in the reports.
   */
  static void forget(String queue, List<String> subscribers) {
    Monitoring.forget(Constants.storeNamespace(queue));
    subscribers.forEach(subscriber -> forgetDead(queue, subscriber));
  }

  /** Forgets what the queue of a removed subscriber's dead letters has counted. */
  static void forgetDead(String queue, String subscriber) {
    Monitoring.forget(Constants.storeNamespace(queue + "." + subscriber + Names.DEAD));
  }
}
