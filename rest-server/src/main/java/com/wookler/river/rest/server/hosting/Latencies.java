package com.wookler.river.rest.server.hosting;

import com.wookler.river.common.TimeSource;
import com.wookler.river.core.subscriber.Delivery;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Measures how long publishing takes, and how old messages are at their first delivery, for
 * messages that go through the server. Thread-safe.
 */
public final class Latencies {
  private static final double NANOS = 1e9;
  private static final double MICROS = 1e6;
  private static final double[] PUBLISH = {
    .0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30
  };
  private static final double[] DELIVER = {
    .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 5, 10, 60, 300, 1_800, 3_600, 21_600, 86_400
  };

  private final TimeSource time;
  private final SeriesLimiter queues;
  private final SeriesLimiter subscribers;
  private final Histogram publish =
      Histogram.builder()
          .name("river_publish_seconds")
          .help(
              "From the complete publish request to its messages being stored with the requested durability")
          .labelNames("queue")
          .classicOnly()
          .classicUpperBounds(PUBLISH)
          .withoutExemplars()
          .build();
  private final Histogram deliver =
      Histogram.builder()
          .name("river_deliver_seconds")
          .help("From the publishing of a message to its first delivery to a request or a stream")
          .labelNames("queue", "subscriber")
          .classicOnly()
          .classicUpperBounds(DELIVER)
          .withoutExemplars()
          .build();

  public Latencies(TimeSource time, SeriesLimiter queues, SeriesLimiter subscribers) {
    this.time = time;
    this.queues = queues;
    this.subscribers = subscribers;
  }

  /** Returns the current time, to be passed to {@link #published}. */
  public long now() {
    return time.nanoTime();
  }

  /** Records that a request's messages are stored. */
  public void published(String queue, long begun) {
    publish
        .labelValues(queues.seriesFor(SeriesKey.of(queue)).queue())
        .observe((time.nanoTime() - begun) / NANOS);
  }

  /** Records deliveries, except redeliveries. */
  public <M> void delivered(HostedSubscriber<M> hosted, List<Delivery<M>> deliveries) {
    if (deliveries.isEmpty()) {
      return;
    }
    SeriesKey key =
        subscribers.seriesFor(new SeriesKey(hosted.queue(), hosted.subscriber().name()));
    var histogram = deliver.labelValues(key.queue(), key.subscriber());
    var now = time.wallTime();
    for (Delivery<M> each : deliveries) {
      if (each.attempt() == 1) {
        long micros = ChronoUnit.MICROS.between(each.publishedAt(), now);
        histogram.observe(Math.max(0, micros) / MICROS);
      }
    }
  }

  /** Removes the series of queues and subscribers that do not exist any more. */
  void retain(Set<SeriesKey> existing) {
    publish.removeIf(labels -> isRemoved(SeriesKey.of(labels.get(0)), existing));
    deliver.removeIf(labels -> isRemoved(new SeriesKey(labels.get(0), labels.get(1)), existing));
  }

  private static boolean isRemoved(SeriesKey key, Set<SeriesKey> existing) {
    return !key.isOthers() && !existing.contains(key);
  }

  /**
   * Returns the metrics.
   *
   * @param visible whether a queue, or the common series of the others, is included
   */
  List<MetricSnapshot> collect(Predicate<String> visible) {
    return List.of(only(publish.collect(), visible), only(deliver.collect(), visible));
  }

  private static HistogramSnapshot only(HistogramSnapshot all, Predicate<String> visible) {
    List<HistogramDataPointSnapshot> points =
        all.getDataPoints().stream()
            .filter(point -> visible.test(String.valueOf(point.getLabels().get("queue"))))
            .toList();
    return new HistogramSnapshot(all.getMetadata(), points);
  }
}
