package com.wookler.river.rest.server.hosting;

import static com.wookler.river.rest.server.hosting.Figures.Figure.counter;
import static com.wookler.river.rest.server.hosting.Figures.Figure.gauge;

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

/** The figures of queues and subscribers, read when they are asked for. Used by one at a time. */
public final class QueueFigures {
  private static final Logger LOG = LoggerFactory.getLogger(QueueFigures.class);
  private static final double MILLIS = 1_000;

  private static final List<Figures.Figure<HostedQueue<?>>> STATE =
      List.of(
          Figures.Figure.<HostedQueue<?>>gauge(
                  "river_queue_up",
                  "1 if the queue takes and delivers messages",
                  hosted -> hosted.queue().state() == QueueState.RUNNING ? 1 : 0)
              .joined(Math::min));

  private static final List<Figures.Figure<QueueStats>> QUEUE =
      List.of(
          gauge("river_queue_depth", "Messages in the log", QueueStats::messages),
          gauge("river_queue_delayed", "Of them, those that are not due", QueueStats::delayed),
          gauge("river_queue_disk_bytes", "Of the log", QueueStats::bytes),
          Figures.Figure.<QueueStats>gauge(
                  "river_queue_disk_free_bytes", "Of the queue's volume", QueueStats::diskFree)
              .joined(Math::min),
          gauge("river_queue_blocks", "Files of the log", QueueStats::blocks),
          gauge("river_queue_backups", "Blocks in the backup", QueueStats::backups),
          gauge(
              "river_queue_backup_failures",
              "Tries to back a block up that have failed since the last backup was made",
              QueueStats::backupFailures),
          gauge(
              "river_queue_lost",
              "Messages that damage or a power loss has taken from the log as it is now",
              QueueStats::lost),
          counter(
              "river_queue_lost_messages",
              "Messages ever lost to damage or a power loss; a restart goes on counting",
              QueueStats::lostEver),
          counter(
              "river_queue_published",
              "Messages ever published; a restart goes on counting",
              QueueStats::nextSequence),
          counter(
              "river_queue_discarded",
              "Messages given up by policy or retention, for each subscriber, since the queue was"
                  + " opened",
              QueueStats::discarded),
          counter(
              "river_queue_archived_blocks",
              "Blocks archived since the queue was opened",
              QueueStats::archived));

  private static final List<Figures.Figure<SubscriberStats>> SUBSCRIBER =
      List.of(
          gauge("river_subscriber_lag", "Messages not finished", SubscriberStats::lag),
          gauge("river_subscriber_in_flight", "Messages handed over", SubscriberStats::inFlight),
          Figures.Figure.<SubscriberStats>gauge(
                  "river_subscriber_oldest_age_seconds",
                  "Since the oldest message that is not finished was published",
                  stats -> stats.oldestUnfinishedAge().toMillis() / MILLIS)
              .joined(Math::max),
          counter(
              "river_subscriber_delivered",
              "Hand-overs, repeated ones too",
              SubscriberStats::delivered),
          counter("river_subscriber_acknowledged", "Messages acknowledged", SubscriberStats::acked),
          counter("river_subscriber_redelivered", "Repetitions", SubscriberStats::redelivered),
          counter(
              "river_subscriber_dead", "Messages that became dead letters", SubscriberStats::dead),
          counter(
              "river_subscriber_dead_dropped",
              "Dead letters dropped for their number or age",
              SubscriberStats::deadDropped),
          counter("river_subscriber_expired", "Messages that expired", SubscriberStats::expired),
          counter(
              "river_subscriber_filtered",
              "Messages that its filter refused",
              SubscriberStats::filtered),
          counter(
              "river_subscriber_discarded",
              "Messages that the queue gave up",
              SubscriberStats::discarded));

  private final QueueCatalog catalog;
  private final Subjects queues;
  private final Subjects subscribers;
  private final Latencies latencies;

  public QueueFigures(
      QueueCatalog catalog, Subjects queues, Subjects subscribers, Latencies latencies) {
    this.catalog = catalog;
    this.queues = queues;
    this.subscribers = subscribers;
    this.latencies = latencies;
  }

  /** What the caller may see; opens subscribers, as whoever lists them does. */
  public List<MetricSnapshot> collect(Access access) {
    List<HostedQueue<?>> all = catalog.all();
    retain(all);
    Figures<HostedQueue<?>> states = new Figures<>(STATE);
    Figures<QueueStats> ofQueues = new Figures<>(QUEUE);
    Figures<SubscriberStats> ofSubscribers = new Figures<>(SUBSCRIBER);
    for (HostedQueue<?> hosted : all) {
      String name = hosted.queue().name();
      if (access.allows(Right.METRICS, name)) {
        Subject shown = queues.shown(Subject.of(name));
        states.add(shown, hosted);
        try {
          ofQueues.add(shown, hosted.queue().stats());
          addSubscribers(hosted, ofSubscribers);
        } catch (RiverException e) {
          LOG.debug("Queue {} tells nothing now", name, e);
        }
      }
    }
    List<MetricSnapshot> collected = new ArrayList<>(states.collect());
    collected.addAll(ofQueues.collect());
    collected.addAll(ofSubscribers.collect());
    boolean sees = all.stream().allMatch(each -> access.allows(Right.METRICS, each.queue().name()));
    collected.addAll(
        latencies.collect(
            queue -> queue.equals(Subject.OTHERS) ? sees : access.allows(Right.METRICS, queue)));
    return collected;
  }

  private <M> void addSubscribers(HostedQueue<M> hosted, Figures<SubscriberStats> figures) {
    for (String name : hosted.queue().subscriberNames()) {
      Subject subject = new Subject(hosted.queue().name(), name);
      try {
        HostedSubscriber<M> each = hosted.find(name);
        if (each != null) {
          SubscriberStats stats = each.subscriber().stats();
          figures.add(subscribers.shown(subject), stats);
        }
      } catch (RiverException e) { // closed meanwhile, or one that only its application can open
        LOG.debug("{} tells nothing now", subject, e);
      }
    }
  }

  /** Forgets who is gone. */
  private void retain(List<HostedQueue<?>> all) {
    Set<Subject> there = new HashSet<>();
    for (HostedQueue<?> hosted : all) {
      String name = hosted.queue().name();
      there.add(Subject.of(name));
      for (String subscriber : names(hosted)) {
        there.add(new Subject(name, subscriber));
      }
    }
    queues.retain(there);
    subscribers.retain(there);
    latencies.retain(there);
  }

  private static List<String> names(HostedQueue<?> hosted) {
    try {
      return hosted.queue().subscriberNames();
    } catch (RiverException e) {
      return List.of(); // closed
    }
  }
}
