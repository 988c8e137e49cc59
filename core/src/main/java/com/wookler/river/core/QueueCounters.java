package com.wookler.river.core;

import com.wookler.river.common.counters.AbstractCounter;
import com.wookler.river.common.counters.Average;
import com.wookler.river.common.counters.Count;
import com.wookler.river.common.utils.CounterSet;
import com.wookler.river.core.log.LogCounters;
import com.wookler.river.core.subscriber.SubscriberCounters;

/**
 * Makes the counters of one queue and takes them out of the monitor's report again.
 *
 * <p>Thread-safe.
 */
final class QueueCounters {
  private final String store;
  private final CounterSet counters = new CounterSet();

  QueueCounters(String queue) {
    this.store = Constants.storeNamespace(queue);
  }

  LogCounters log() {
    return new LogCounters(
        counters.local(Constants.MONITOR_NAMESPACE, Constants.MONITOR_COUNTER_ADDS, Count.class),
        counters.local(store, Constants.MONITOR_COUNTER_ADDS, Count.class),
        counters.local(
            Constants.MONITOR_BLOCK_NAMESPACE,
            Constants.MONITOR_COUNTER_BLOCK_WRITE_TIME,
            Average.class),
        counters.shared(
            Constants.MONITOR_BLOCK_NAMESPACE,
            Constants.MONITOR_COUNTER_BLOCK_READ_TIME,
            Average.class));
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
        counters.local(Constants.MONITOR_NAMESPACE, Constants.MONITOR_COUNTER_READS, Count.class),
        counters.local(store, Constants.MONITOR_COUNTER_READS, Count.class),
        counters.local(Constants.MONITOR_NAMESPACE, Constants.MONITOR_COUNTER_ACKS, Count.class),
        counters.local(
            Constants.MONITOR_NAMESPACE, Constants.MONITOR_COUNTER_REDELIVERED, Count.class),
        counters.local(Constants.MONITOR_NAMESPACE, Constants.MONITOR_COUNTER_DEAD, Count.class),
        counters.local(
            Constants.MONITOR_NAMESPACE, Constants.MONITOR_COUNTER_READ_TIME, Average.class));
  }

  void remove(SubscriberCounters gone) {
    counters.remove(gone.reads());
    counters.remove(gone.storeReads());
    counters.remove(gone.acks());
    counters.remove(gone.redelivered());
    counters.remove(gone.dead());
    counters.remove(gone.readTime());
  }

  void close() {
    counters.close();
  }
}
