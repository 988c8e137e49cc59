package com.wookler.river.opentelemetry;

import static com.wookler.river.opentelemetry.MessagingConventions.DURATION_BOUNDS;
import static com.wookler.river.opentelemetry.MessagingConventions.MESSAGES_UNIT;
import static com.wookler.river.opentelemetry.MessagingConventions.POLL;
import static com.wookler.river.opentelemetry.MessagingConventions.PROCESS;
import static com.wookler.river.opentelemetry.MessagingConventions.PUBLISH;
import static com.wookler.river.opentelemetry.MessagingConventions.RECEIVE;
import static com.wookler.river.opentelemetry.MessagingConventions.SECONDS_UNIT;
import static com.wookler.river.opentelemetry.MessagingConventions.SEND;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.counters.CounterListener;
import com.wookler.river.common.counters.CounterSeries;
import com.wookler.river.common.counters.Distribution;
import com.wookler.river.core.Constants;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.ObservableLongMeasurement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** Makes the monitor's counters and times the metrics of OpenTelemetry's conventions. */
final class MetricListener implements CounterListener {
  private static final double NANOS_A_SECOND = 1e9;
  private static final double MILLIS_A_SECOND = 1e3;
  private static final String SUBSCRIBER = Constants.MONITOR_SUBSCRIBER_NAMESPACE + ".";

  private final Map<String, ObservedSeries> series; // by the name of the counter's meter
  private final DoubleHistogram operations;
  private final DoubleHistogram processing;
  private final List<Runnable> endings = new ArrayList<>();

  @GuardedBy("this")
  private final Map<Distribution, LongConsumer> observers = new HashMap<>();

  @GuardedBy("this")
  private boolean closed;

  MetricListener(Meter meter) {
    ObservedSeries sent = new ObservedCount(PUBLISH, SEND);
    ObservedSeries consumed = new ObservedCount(POLL, RECEIVE);
    ObservedSeries lag = ObservedGauge.sum();
    ObservedSeries inFlight = ObservedGauge.sum();
    ObservedSeries oldest = ObservedGauge.largest();
    series =
        Map.of(
            "river.queue.adds",
            sent,
            SUBSCRIBER + "delivered",
            consumed,
            SUBSCRIBER + "lag",
            lag,
            SUBSCRIBER + "in.flight",
            inFlight,
            SUBSCRIBER + "oldest.unfinished.age",
            oldest);
    count(meter, MessagingConventions.SENT_MESSAGES, "Messages that were stored", sent);
    count(
        meter,
        MessagingConventions.CONSUMED_MESSAGES,
        "Deliveries to a subscriber, further ones included",
        consumed);
    gauge(meter, MessagingConventions.LAG, "Messages that are not completed", lag);
    gauge(meter, MessagingConventions.IN_FLIGHT, "Messages delivered and not completed", inFlight);
    endings.add(
        meter
                .gaugeBuilder(MessagingConventions.OLDEST_AGE)
                .setUnit(SECONDS_UNIT)
                .setDescription("Age of the oldest message that is not completed")
                .buildWithCallback(
                    to ->
                        oldest.read(
                            (attributes, millis) ->
                                to.record(millis / MILLIS_A_SECOND, attributes)))
            ::close);
    operations =
        histogram(
            meter, MessagingConventions.OPERATION_DURATION, "Publishes, and polls that delivered");
    processing =
        histogram(meter, MessagingConventions.PROCESS_DURATION, "A message in a processor");
  }

  private void count(Meter meter, String name, String description, ObservedSeries of) {
    endings.add(
        meter
                .counterBuilder(name)
                .setUnit(MESSAGES_UNIT)
                .setDescription(description)
                .buildWithCallback(reader(of))
            ::close);
  }

  private void gauge(Meter meter, String name, String description, ObservedSeries of) {
    endings.add(
        meter
                .gaugeBuilder(name)
                .ofLongs()
                .setUnit(MESSAGES_UNIT)
                .setDescription(description)
                .buildWithCallback(reader(of))
            ::close);
  }

  private static Consumer<ObservableLongMeasurement> reader(ObservedSeries of) {
    return to -> of.read((attributes, value) -> to.record(value, attributes));
  }

  private static DoubleHistogram histogram(Meter meter, String name, String description) {
    return meter
        .histogramBuilder(name)
        .setUnit(SECONDS_UNIT)
        .setDescription(description)
        .setExplicitBucketBoundariesAdvice(DURATION_BOUNDS)
        .build();
  }

  @Override
  public void added(CounterSeries added) {
    ObservedSeries of = series.get(added.meter());
    if (of != null) {
      of.add(added);
    }
  }

  @Override
  public void removed(CounterSeries removed) {
    ObservedSeries of = series.get(removed.meter());
    if (of != null) {
      of.remove(removed);
    }
  }

  @Override
  public synchronized void added(Distribution distribution) {
    if (closed || observers.containsKey(distribution)) {
      return;
    }
    Map<String, String> labels = distribution.labels();
    switch (distribution.name()) {
      case "river.publish" ->
          observe(
              distribution, operations, MessagingConventions.ofOperation(PUBLISH, SEND, labels));
      case "river.poll" ->
          observe(
              distribution, operations, MessagingConventions.ofOperation(POLL, RECEIVE, labels));
      case "river.process" ->
          observe(
              distribution, processing, MessagingConventions.ofOperation(PROCESS, PROCESS, labels));
      default -> {} // of none of the conventions' metrics
    }
  }

  @GuardedBy("this")
  private void observe(Distribution distribution, DoubleHistogram as, Attributes attributes) {
    LongConsumer observer = nanos -> as.record(nanos / NANOS_A_SECOND, attributes);
    observers.put(distribution, observer);
    distribution.observe(observer);
  }

  @Override
  public synchronized void removed(Distribution distribution) {
    LongConsumer observer = observers.remove(distribution);
    if (observer != null) {
      distribution.ignore(observer);
    }
  }

  /** Ends the metrics. */
  synchronized void close() {
    closed = true;
    observers.forEach(Distribution::ignore);
    observers.clear();
    endings.forEach(Runnable::run);
    endings.clear();
  }
}
