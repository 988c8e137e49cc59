package com.wookler.river.opentelemetry;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.Env;
import com.wookler.river.common.counters.CounterListener;
import com.wookler.river.common.counters.CounterSeries;
import com.wookler.river.common.counters.Distribution;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.reactor.Reactor;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.metrics.data.HistogramPointData;
import io.opentelemetry.sdk.metrics.data.MetricDataType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
    Distributions all = new Distributions();
    env.monitor().addListener(all);
    try (RiverMetrics none = RiverTelemetry.create(OpenTelemetry.noop()).metrics(env.monitor());
        MessageQueue<String> queue = open()) {
      queue.publisher().publish("a");
      assertThat(all.found).isNotEmpty().noneMatch(Distribution::isObserved);
      assertThat(none).isNotNull();
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
