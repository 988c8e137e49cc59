package com.wookler.river.rest.server.hosting;

import static com.wookler.river.rest.server.hosting.MetricTable.MetricDefinition.counter;
import static com.wookler.river.rest.server.hosting.MetricTable.MetricDefinition.gauge;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.QueueState;
import com.wookler.river.core.QueueStats;
import com.wookler.river.core.subscriber.SubscriberStats;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Collects the metrics of queues and subscribers on demand. Used by one thread at a time. */
public final class QueueMetrics {
  private static final Logger LOG = LoggerFactory.getLogger(QueueMetrics.class);
  private static final double MILLIS = 1_000;

  private static final List<MetricTable.MetricDefinition<HostedQueue<?>>> STATE =
      List.of(
          MetricTable.MetricDefinition.<HostedQueue<?>>gauge(
                  "river_queue_up",
                  "1 if the queue accepts and delivers messages",
                  hosted -> hosted.queue().state() == QueueState.RUNNING ? 1 : 0)
              .mergedBy(Math::min));

  private static final List<MetricTable.MetricDefinition<QueueStats>> QUEUE =
      List.of(
          gauge("river_queue_depth", "Messages in the log", QueueStats::messages),
          gauge("river_queue_delayed", "Messages that are not due yet", QueueStats::delayed),
          gauge("river_queue_disk_bytes", "Bytes of the log on disk", QueueStats::bytes),
          MetricTable.MetricDefinition.<QueueStats>gauge(
                  "river_queue_disk_free_bytes",
                  "Free bytes of the queue's volume",
                  QueueStats::diskFree)
              .mergedBy(Math::min),
          gauge("river_queue_blocks", "Files of the log", QueueStats::blocks),
          gauge("river_queue_backups", "Blocks in the backup", QueueStats::backups),
          gauge(
              "river_queue_backup_failures",
              "Failed backups of a block since the last successful one",
              QueueStats::backupFailures),
          gauge(
              "river_queue_unused_subscribers",
              "Subscribers not in use that hold more of the log than queue.unused.* allows",
              QueueStats::unusedSubscribers),
          gauge(
              "river_queue_unused_seconds",
              "Seconds for which the queue has been empty and not in use",
              QueueStats::unusedSeconds),
          gauge(
              "river_queue_status",
              "0: up, 1: read-only, 2: quiescent, 3: down",
              stats -> stats.status().number()),
          gauge(
              "river_queue_lost",
              "Messages missing in the current log because of damage or a power loss",
              QueueStats::lost),
          gauge(
              "river_queue_removed",
              "Messages in log and backups that were removed one by one",
              QueueStats::removed),
          counter(
              "river_queue_lost_messages",
              "Messages ever lost because of damage or a power loss, across restarts",
              QueueStats::lostEver),
          counter(
              "river_queue_published",
              "Messages ever published, across restarts",
              QueueStats::nextSequence),
          counter(
              "river_queue_discarded",
              "Messages discarded by policy or retention, for each subscriber, since the queue was"
                  + " opened",
              QueueStats::discarded),
          counter(
              "river_queue_archived_blocks",
              "Blocks archived since the queue was opened",
              QueueStats::archived),
          counter(
              "river_queue_compacted",
              "Messages removed by compaction since the queue was opened",
              QueueStats::compacted));

  private static final List<MetricTable.MetricDefinition<SubscriberStats>> SUBSCRIBER =
      List.of(
          gauge("river_subscriber_lag", "Messages not completed", SubscriberStats::lag),
          gauge("river_subscriber_in_flight", "Messages in flight", SubscriberStats::inFlight),
          MetricTable.MetricDefinition.<SubscriberStats>gauge(
                  "river_subscriber_oldest_age_seconds",
                  "Age of the oldest message that is not completed",
                  stats -> stats.oldestUnfinishedAge().toMillis() / MILLIS)
              .mergedBy(Math::max),
          counter(
              "river_subscriber_delivered",
              "Deliveries, redeliveries included",
              SubscriberStats::delivered),
          counter("river_subscriber_acknowledged", "Messages acknowledged", SubscriberStats::acked),
          counter("river_subscriber_redelivered", "Redeliveries", SubscriberStats::redelivered),
          counter(
              "river_subscriber_dead", "Messages that became dead letters", SubscriberStats::dead),
          counter(
              "river_subscriber_dead_dropped",
              "Dead letters deleted because of their number or age",
              SubscriberStats::deadDropped),
          counter("river_subscriber_expired", "Messages that expired", SubscriberStats::expired),
          counter(
              "river_subscriber_filtered",
              "Messages that the filter rejected",
              SubscriberStats::filtered),
          counter(
              "river_subscriber_discarded",
              "Messages that the queue discarded before they were completed",
              SubscriberStats::discarded),
          counter(
              "river_subscriber_removed",
              "Messages that were removed before they were completed",
              SubscriberStats::removed),
          gauge(
              "river_subscriber_paused",
              "Whether deliveries are stopped: 1, else 0",
              stats -> stats.paused() ? 1 : 0));

  private static final List<MetricTable.MetricDefinition<Long>> LETTERS =
      List.of(
          gauge(
              "river_subscriber_dead_letters",
              "Dead letters that wait now, also those from before a restart",
              Long::doubleValue));

  private final QueueCatalog catalog;
  private final SeriesLimiter queues;
  private final SeriesLimiter subscribers;
  private final Latencies latencies;
  private final DeadLetterCounts deadLetters = new DeadLetterCounts();

  public QueueMetrics(
      QueueCatalog catalog, SeriesLimiter queues, SeriesLimiter subscribers, Latencies latencies) {
    this.catalog = catalog;
    this.queues = queues;
    this.subscribers = subscribers;
    this.latencies = latencies;
  }

  /** Returns the counts of dead letters, which the figures of all queues show too. */
  public DeadLetterCounts deadLetters() {
    return deadLetters;
  }

  /** Returns the metrics that the caller may read. Reopens subscribers. */
  public List<MetricSnapshot> collect(Access access) {
    List<HostedQueue<?>> all = catalog.all();
    retain(all);
    MetricTable<HostedQueue<?>> states = new MetricTable<>(STATE);
    MetricTable<QueueStats> ofQueues = new MetricTable<>(QUEUE);
    MetricTable<SubscriberStats> ofSubscribers = new MetricTable<>(SUBSCRIBER);
    MetricTable<Long> letters = new MetricTable<>(LETTERS);
    for (HostedQueue<?> hosted : all) {
      String name = hosted.queue().name();
      if (access.allows(Right.METRICS, name)) {
        SeriesKey key = queues.seriesFor(SeriesKey.of(name));
        states.add(key, hosted);
        try {
          ofQueues.add(key, hosted.queue().stats());
          addSubscribers(hosted, ofSubscribers, letters);
        } catch (RiverException e) {
          LOG.debug("Cannot read the statistics of queue {}", name, e);
        }
      }
    }
    List<MetricSnapshot> collected = new ArrayList<>(states.collect());
    collected.addAll(ofQueues.collect());
    collected.addAll(ofSubscribers.collect());
    collected.addAll(letters.collect());
    boolean seesAll =
        all.stream().allMatch(each -> access.allows(Right.METRICS, each.queue().name()));
    collected.addAll(
        latencies.collect(
            queue ->
                queue.equals(SeriesKey.OTHERS) ? seesAll : access.allows(Right.METRICS, queue)));
    return collected;
  }

  private <M> void addSubscribers(
      HostedQueue<M> hosted, MetricTable<SubscriberStats> table, MetricTable<Long> letters) {
    for (String name : hosted.queue().subscriberNames()) {
      SeriesKey key = new SeriesKey(hosted.queue().name(), name);
      try {
        HostedSubscriber<M> each = hosted.find(name);
        if (each != null) {
          SubscriberStats stats = each.subscriber().stats();
          long waiting = deadLetters.waiting(key, each.subscriber(), stats);
          SeriesKey series = subscribers.seriesFor(key);
          table.add(series, stats);
          letters.add(series, waiting);
        }
      } catch (RiverException e) { // closed meanwhile, or one that only the application can open
        LOG.debug("Cannot read the statistics of {}", key, e);
      }
    }
  }

  /** Removes the series of queues and subscribers that do not exist any more. */
  private void retain(List<HostedQueue<?>> all) {
    Set<SeriesKey> existing = new HashSet<>();
    for (HostedQueue<?> hosted : all) {
      String name = hosted.queue().name();
      existing.add(SeriesKey.of(name));
      for (String subscriber : names(hosted)) {
        existing.add(new SeriesKey(name, subscriber));
      }
    }
    queues.retain(existing);
    subscribers.retain(existing);
    latencies.retain(existing);
  }

  private static List<String> names(HostedQueue<?> hosted) {
    try {
      return hosted.queue().subscriberNames();
    } catch (RiverException e) {
      return List.of(); // closed
    }
  }
}
