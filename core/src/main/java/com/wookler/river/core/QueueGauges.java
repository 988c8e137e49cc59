package com.wookler.river.core;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.counters.Count;
import com.wookler.river.common.counters.Gauge;
import com.wookler.river.common.utils.StatsGauges;
import com.wookler.river.core.subscriber.DurableSubscriber;
import com.wookler.river.core.subscriber.SubscriberStats;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** Which stats of queues and subscribers are in the monitor's report. */
final class QueueGauges {
  private QueueGauges() {}

  static StatsGauges<QueueStats> ofQueue(
      String queue, Supplier<QueueStats> source, TimeSource time) {
    StatsGauges<QueueStats> all =
        new StatsGauges<>(
            Constants.MONITOR_NAMESPACE,
            Map.of(Constants.MONITOR_LABEL_QUEUE, queue),
            source,
            time);
    all.add("messages", Gauge.class, QueueStats::messages);
    all.add("bytes", Gauge.class, QueueStats::bytes);
    all.add("blocks", Gauge.class, QueueStats::blocks);
    all.add("first.sequence", Gauge.class, QueueStats::firstSequence);
    all.add("next.sequence", Gauge.class, QueueStats::nextSequence);
    all.add("lost", Gauge.class, QueueStats::lost);
    all.add("lost.ever", Count.class, QueueStats::lostEver);
    all.add("archived", Count.class, QueueStats::archived);
    all.add("backups", Gauge.class, QueueStats::backups);
    all.add("backup.failures", Gauge.class, QueueStats::backupFailures);
    all.add("compacted", Count.class, QueueStats::compacted);
    all.add("unused.subscribers", Gauge.class, QueueStats::unusedSubscribers);
    all.add("status", Gauge.class, stats -> stats.status().number());
    all.add("unused.seconds", Gauge.class, QueueStats::unusedSeconds);
    all.add("discarded", Count.class, QueueStats::discarded);
    all.add("disk.free", Gauge.class, QueueStats::diskFree);
    all.add("delayed", Gauge.class, QueueStats::delayed);
    all.add("removed", Gauge.class, QueueStats::removed);
    return all;
  }

  /** Returns the gauges of a subscriber, which report nothing before {@link #show}. */
  static StatsGauges<SubscriberStats> ofSubscriber(
      String queue, DurableSubscriber<?> subscriber, TimeSource time) {
    Map<String, String> labels = new LinkedHashMap<>();
    labels.put(Constants.MONITOR_LABEL_QUEUE, queue);
    labels.put(Constants.MONITOR_LABEL_SUBSCRIBER, subscriber.name());
    return new StatsGauges<>(
        Constants.MONITOR_SUBSCRIBER_NAMESPACE, labels, subscriber::stats, time);
  }

  /** Reports the position of a subscriber. */
  static void show(StatsGauges<SubscriberStats> all) {
    all.add("lag", Gauge.class, SubscriberStats::lag);
    all.add("in.flight", Gauge.class, SubscriberStats::inFlight);
    all.add("ack.floor", Gauge.class, SubscriberStats::ackFloor);
    all.add("oldest.unfinished.age", Gauge.class, stats -> stats.oldestUnfinishedAge().toMillis());
    all.add("window.used", Gauge.class, SubscriberStats::windowUsed);
    all.add("holes", Gauge.class, SubscriberStats::holes);
    all.add("waiting", Gauge.class, SubscriberStats::waiting);
    all.add("delivered", Count.class, SubscriberStats::delivered);
    all.add("acked", Count.class, SubscriberStats::acked);
    all.add("redelivered", Count.class, SubscriberStats::redelivered);
    all.add("dead", Count.class, SubscriberStats::dead);
    all.add("dead.dropped", Count.class, SubscriberStats::deadDropped);
    all.add("filtered", Count.class, SubscriberStats::filtered);
    all.add("expired", Count.class, SubscriberStats::expired);
    all.add("discarded", Count.class, SubscriberStats::discarded);
    all.add("removed", Count.class, SubscriberStats::removed);
    all.add("paused", Gauge.class, stats -> stats.paused() ? 1 : 0);
  }
}
