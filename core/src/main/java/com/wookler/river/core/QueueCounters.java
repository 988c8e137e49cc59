package com.wookler.river.core;

import com.wookler.river.common.Monitor;
import com.wookler.river.common.counters.AbstractCounter;
import com.wookler.river.common.counters.AbstractCounter.Mode;
import com.wookler.river.common.counters.AbstractMeasure;
import com.wookler.river.common.counters.Average;
import com.wookler.river.common.counters.ConcurrentCounter;
import com.wookler.river.common.counters.Count;
import com.wookler.river.common.counters.Counter;
import com.wookler.river.common.counters.TimeWindow;
import com.wookler.river.common.utils.Monitoring;
import com.wookler.river.core.log.LogCounters;
import com.wookler.river.core.subscriber.SubscriberCounters;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Makes the counters of one queue and takes them out of the monitor's report again.
 *
 * <p>What is written under one lock gets a counter of its own without lock or contention; the
 * monitor adds up those of the same name. Without a monitor the counters count all the same and
 * nobody reports them.
 */
final class QueueCounters {
  private static final TimeWindow UNREPORTED =
      new TimeWindow(Duration.ofDays(1), () -> Instant.EPOCH);

  private final String store;
  private final List<AbstractCounter> registered = new ArrayList<>(); // guarded by this

  QueueCounters(String queue) {
    this.store = Constants.storeNamespace(queue);
  }

  LogCounters log() {
    return new LogCounters(
        local(Constants.MONITOR_NAMESPACE, Constants.MONITOR_COUNTER_ADDS, Count.class),
        local(store, Constants.MONITOR_COUNTER_ADDS, Count.class),
        local(
            Constants.MONITOR_BLOCK_NAMESPACE,
            Constants.MONITOR_COUNTER_BLOCK_WRITE_TIME,
            Average.class),
        shared(Constants.MONITOR_BLOCK_NAMESPACE, Constants.MONITOR_COUNTER_BLOCK_READ_TIME));
  }

  AbstractCounter addTime() {
    return shared(Constants.MONITOR_NAMESPACE, Constants.MONITOR_COUNTER_ADD_TIME);
  }

  SubscriberCounters subscriber() {
    return new SubscriberCounters(
        local(Constants.MONITOR_NAMESPACE, Constants.MONITOR_COUNTER_READS, Count.class),
        local(store, Constants.MONITOR_COUNTER_READS, Count.class),
        local(Constants.MONITOR_NAMESPACE, Constants.MONITOR_COUNTER_ACKS, Count.class),
        local(Constants.MONITOR_NAMESPACE, Constants.MONITOR_COUNTER_READ_TIME, Average.class));
  }

  void remove(SubscriberCounters counters) {
    remove(counters.reads());
    remove(counters.storeReads());
    remove(counters.acks());
    remove(counters.readTime());
  }

  private synchronized void remove(AbstractCounter counter) {
    if (registered.remove(counter)) {
      Monitoring.remove(counter);
    }
  }

  synchronized void close() {
    registered.forEach(Monitoring::remove);
    registered.clear();
  }

  private AbstractCounter local(
      String namespace, String name, Class<? extends AbstractMeasure> type) {
    return Monitor.find().isPresent()
        ? registered(Monitoring.create(false, namespace, name, type, Mode.PROD))
        : new Counter(UNREPORTED, type).namespace(namespace).name(name).mode(Mode.PROD);
  }

  private AbstractCounter shared(String namespace, String name) {
    return Monitor.find().isPresent()
        ? registered(Monitoring.create(true, namespace, name, Average.class, Mode.PROD))
        : new ConcurrentCounter(UNREPORTED, Average.class)
            .namespace(namespace)
            .name(name)
            .mode(Mode.PROD);
  }

  private synchronized AbstractCounter registered(@Nullable AbstractCounter reported) {
    AbstractCounter counter = Objects.requireNonNull(reported, "the monitor went away");
    registered.add(counter);
    return counter;
  }
}
