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
 * How long publishing takes, and how old messages are when they are handed over: of what goes
 * through the server, so that a queue without one pays nothing. Thread-safe.
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
  private final Subjects queues;
  private final Subjects subscribers;
  private final Histogram publish =
      Histogram.builder()
          .name("river_publish_seconds")
          .help("From a whole request to publish to its message being stored as it asked")
          .labelNames("queue")
          .classicOnly()
          .classicUpperBounds(PUBLISH)
          .withoutExemplars()
          .build();
  private final Histogram deliver =
      Histogram.builder()
          .name("river_deliver_seconds")
          .help("From the publishing of a message to its first hand-over to a request or a stream")
          .labelNames("queue", "subscriber")
          .classicOnly()
          .classicUpperBounds(DELIVER)
          .withoutExemplars()
          .build();

  public Latencies(TimeSource time, Subjects queues, Subjects subscribers) {
    this.time = time;
    this.queues = queues;
    this.subscribers = subscribers;
  }

  /** When something begins. */
  public long now() {
    return time.nanoTime();
  }

  /** A request's messages are stored. */
  public void published(String queue, long begun) {
    publish
        .labelValues(queues.shown(Subject.of(queue)).queue())
        .observe((time.nanoTime() - begun) / NANOS);
  }

  /** These are handed over; those that come again say nothing about how fast that is. */
  public <M> void delivered(HostedSubscriber<M> hosted, List<Delivery<M>> deliveries) {
    if (deliveries.isEmpty()) {
      return;
    }
    Subject shown = subscribers.shown(new Subject(hosted.queue(), hosted.subscriber().name()));
    var histogram = deliver.labelValues(shown.queue(), shown.subscriber());
    var now = time.wallTime();
    for (Delivery<M> each : deliveries) {
      if (each.attempt() == 1) {
        long micros = ChronoUnit.MICROS.between(each.publishedAt(), now);
        histogram.observe(Math.max(0, micros) / MICROS);
      }
    }
  }

  /** Forgets those who are gone. */
  void retain(Set<Subject> there) {
    publish.removeIf(labels -> isGone(Subject.of(labels.get(0)), there));
    deliver.removeIf(labels -> isGone(new Subject(labels.get(0), labels.get(1)), there));
  }

  private static boolean isGone(Subject subject, Set<Subject> there) {
    return !subject.isOthers() && !there.contains(subject);
  }

  /**
   * What there is.
   *
   * @param visible the queues that are shown, the others' common name among them or not
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
