package com.wookler.river.opentelemetry;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.Env;
import com.wookler.river.common.counters.AbstractCounter;
import com.wookler.river.common.counters.AbstractMeasure;
import com.wookler.river.common.counters.Count;
import com.wookler.river.common.counters.CounterListener;
import com.wookler.river.common.counters.CounterSeries;
import com.wookler.river.common.counters.DerivedCounter;
import com.wookler.river.common.counters.Distribution;
import com.wookler.river.common.counters.Gauge;
import com.wookler.river.core.Constants;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.reactor.Reactor;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.HistogramPointData;
import io.opentelemetry.sdk.metrics.data.MetricDataType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RiverMetricsTest {
  private static final Attributes QUEUE =
      Attributes.of(
          MessagingConventions.SYSTEM, "river", MessagingConventions.DESTINATION, "orders");
  private static final Attributes BILLING =
      QUEUE.toBuilder().put("messaging.destination.subscription.name", "billing").build();
  private static final Attributes PUBLISHES = operation(QUEUE, "publish", "send");
  private static final Attributes POLLS = operation(BILLING, "poll", "receive");
  private static final Attributes PROCESSES =
      operation(BILLING, "process", "process").toBuilder().put("river.processor", "store").build();

  @TempDir Path directory;

  private final Metrics metrics = new Metrics();
  private final RiverTelemetry telemetry = RiverTelemetry.create(metrics.telemetry());
  private Env env;

  private static Attributes operation(Attributes of, String name, String type) {
    return of.toBuilder()
        .put("messaging.operation.name", name)
        .put("messaging.operation.type", type)
        .build();
  }

  @BeforeEach
  void openEnv() {
    env = Env.builder().monitor("metrics").open();
  }

  @AfterEach
  void resetEnv() {
    Env.reset();
  }

  private MessageQueue<String> open() {
    return MessageQueue.builder("orders", MessageConverter.utf8()).directory(directory).open();
  }

  private static Subscriber<String> billing(MessageQueue<String> queue) {
    return queue.subscriber(SubscriberConfig.builder("billing").ack(true).build());
  }

  @Test
  void shouldCountWhatIsSentAndConsumed() {
    try (RiverMetrics running = telemetry.metrics(env.monitor());
        MessageQueue<String> queue = open()) {
      Subscriber<String> billing = billing(queue);
      queue.publisher().publishAll(List.of("a", "b", "c"));
      requireNonNull(billing.next()).ack();
      requireNonNull(billing.next()).nack();
      assertThat(billing.next()).isNotNull();
      assertThat(metrics.value("messaging.client.sent.messages", PUBLISHES)).isEqualTo(3);
      await() // of a subscriber's figures, which are taken once a second
          .until(() -> metrics.value("messaging.client.consumed.messages", POLLS) == 3);
      assertThat(metrics.find("messaging.client.sent.messages").orElseThrow().getUnit())
          .isEqualTo("{message}");
      assertThat(running).isNotNull();
    }
  }

  @Test
  void shouldGaugeHowFarBehindASubscriberIs() {
    try (RiverMetrics running = telemetry.metrics(env.monitor());
        MessageQueue<String> queue = open()) {
      Subscriber<String> billing = billing(queue);
      queue.publisher().publishAll(List.of("a", "b", "c"));
      assertThat(billing.next()).isNotNull();
      await().until(() -> metrics.value("river.subscriber.lag", BILLING) == 3);
      await().until(() -> metrics.value("river.subscriber.in_flight", BILLING) == 1);
      await().until(() -> metrics.value("river.subscriber.oldest_age", BILLING) > 0);
      billing.close();
      assertThat(metrics.attributes("river.subscriber.lag")).isEmpty();
      assertThat(running).isNotNull();
    }
  }

  @Test
  void shouldMeasurePublishesPollsAndProcessing() {
    try (RiverMetrics running = telemetry.metrics(env.monitor());
        MessageQueue<String> queue = open()) {
      queue.publisher().publish("a");
      try (Reactor<String> reactor =
          Reactor.builder(billing(queue))
              .processor("store", each -> ProcessResult.done())
              .start()) {
        await().until(() -> reactor.stats().finished() == 1); // else both may be one batch
        queue.publisher().publish("b");
        await().until(() -> reactor.stats().finished() == 2);
        await()
            .untilAsserted(
                () ->
                    assertThat(metrics.times("messaging.process.duration", PROCESSES))
                        .map(HistogramPointData::getCount)
                        .contains(2L));
      }
      HistogramPointData publishes =
          metrics.times("messaging.client.operation.duration", PUBLISHES).orElseThrow();
      assertThat(publishes.getCount()).isEqualTo(2);
      assertThat(publishes.getSum()).isBetween(1e-9, 60.0);
      assertThat(publishes.getBoundaries()).isEqualTo(MessagingConventions.DURATION_BOUNDS);
      assertThat(metrics.times("messaging.client.operation.duration", POLLS)).isPresent();
      assertThat(metrics.find("messaging.process.duration").orElseThrow().getUnit()).isEqualTo("s");
      assertThat(metrics.find("messaging.process.duration").orElseThrow().getType())
          .isEqualTo(MetricDataType.HISTOGRAM);
      assertThat(running).isNotNull();
    }
  }

  @Test
  void shouldReportNothingAndMeasureNothingOnceItIsClosed() {
    Distributions all = new Distributions();
    env.monitor().addListener(all);
    try (MessageQueue<String> queue = open()) {
      RiverMetrics running = telemetry.metrics(env.monitor());
      queue.publisher().publish("a");
      assertThat(all.found).anyMatch(Distribution::isObserved);
      assertThat(metrics.names()).contains("messaging.client.sent.messages");
      running.close();
      running.close();
      assertThat(all.found).isNotEmpty().noneMatch(Distribution::isObserved);
      assertThat(metrics.attributes("messaging.client.sent.messages")).isEmpty();
    }
  }

  @Test
  void shouldMeasureNothingWithoutAnSdk() {
    assertMeasuresNothing(OpenTelemetry.noop());
  }

  @Test
  void shouldMeasureNothingWithAnSdkThatReadsNoMetrics() {
    try (SdkMeterProvider unread = SdkMeterProvider.builder().build()) {
      assertMeasuresNothing(Metrics.telemetry(unread));
    }
  }

  private void assertMeasuresNothing(OpenTelemetry without) {
    Distributions all = new Distributions();
    env.monitor().addListener(all);
    try (RiverMetrics none = RiverTelemetry.create(without).metrics(env.monitor());
        MessageQueue<String> queue = open()) {
      queue.publisher().publish("a");
      assertThat(all.found).isNotEmpty().noneMatch(Distribution::isObserved);
      assertThat(none).isNotNull();
    }
  }

  @Test
  void shouldKeepWhatASubscriberConsumedBeforeItWasOpenedAgain() {
    try (RiverMetrics running = telemetry.metrics(env.monitor());
        MessageQueue<String> queue = open()) {
      queue.publisher().publishAll(List.of("a", "b", "c"));
      Subscriber<String> billing = billing(queue);
      requireNonNull(billing.next()).ack();
      requireNonNull(billing.next()).ack();
      await().until(() -> consumed() == 2);
      billing.close();
      assertThat(consumed()).isEqualTo(2);
      Subscriber<String> again = billing(queue);
      requireNonNull(again.next()).ack();
      await().until(() -> consumed() == 3);
      assertThat(running).isNotNull();
    }
  }

  private double consumed() {
    return metrics.value("messaging.client.consumed.messages", POLLS);
  }

  private AbstractCounter added(String name, Class<? extends AbstractMeasure> type, long value) {
    AbstractCounter counter =
        new DerivedCounter(env.monitor().timewindow(), type, () -> value)
            .namespace(Constants.MONITOR_SUBSCRIBER_NAMESPACE)
            .name(name)
            .labels(
                Map.of(
                    Constants.MONITOR_LABEL_QUEUE,
                    "orders",
                    Constants.MONITOR_LABEL_SUBSCRIBER,
                    "billing"));
    env.monitor().add(counter);
    return counter;
  }

  @Test
  void shouldNeverCountLessThanBefore() {
    try (RiverMetrics running = telemetry.metrics(env.monitor())) {
      AbstractCounter one = added("delivered", Count.class, 10);
      AbstractCounter ofTheSameName = added("delivered", Count.class, 5);
      assertThat(consumed()).isEqualTo(15);
      env.monitor().remove(ofTheSameName);
      assertThat(consumed()).isEqualTo(15);
      env.monitor().remove(one);
      AbstractCounter again = added("delivered", Count.class, 2); // nothing read meanwhile
      assertThat(consumed()).isEqualTo(17);
      env.monitor().remove(again);
      assertThat(consumed()).isEqualTo(17);
      assertThat(running).isNotNull();
    }
  }

  @Test
  void shouldReportTheOldestAgeOfThoseOfOneName() {
    try (RiverMetrics running = telemetry.metrics(env.monitor())) {
      AbstractCounter older = added("oldest.unfinished.age", Gauge.class, 9_000);
      AbstractCounter younger = added("oldest.unfinished.age", Gauge.class, 5_000);
      assertThat(metrics.value("river.subscriber.oldest_age", BILLING)).isEqualTo(9);
      env.monitor().remove(older);
      assertThat(metrics.value("river.subscriber.oldest_age", BILLING)).isEqualTo(5);
      env.monitor().remove(younger);
      assertThat(metrics.attributes("river.subscriber.oldest_age")).isEmpty();
      assertThat(running).isNotNull();
    }
  }

  /** What could be observed. */
  private static final class Distributions implements CounterListener {
    final List<Distribution> found = new ArrayList<>();

    @Override
    public void added(CounterSeries series) {}

    @Override
    public void added(Distribution distribution) {
      found.add(distribution);
    }
  }
}
