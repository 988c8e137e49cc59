package com.wookler.river.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.core.message.Message;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.reactor.ProcessorInterceptor;
import com.wookler.river.testing.CapturedLog;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.data.StatusData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.MDC;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;

/** Observations: the trace of a publisher's thread on the listener's. */
class RiverTraceTest {
  private static final String ELSEWHERE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

  @TempDir Path directory;

  /** What was in the logging context, and around. */
  static final Queue<String> SEEN = new ConcurrentLinkedQueue<>();

  static class Billing {
    @RiverListener(queue = "orders", subscriber = "billing", backoff = "fixed 1ms")
    void on(Delivery<String> delivery) {
      SEEN.add(String.valueOf(MDC.get("traceId")));
      if (delivery.data().equals("fails") && delivery.attempt() == 1) {
        throw new IllegalStateException("no");
      }
    }

    @RiverListener(queue = "batches", subscriber = "billing", batch = true)
    List<ProcessResult<String>> all(List<Delivery<String>> deliveries) {
      SEEN.add(String.valueOf(MDC.get("traceId")));
      return deliveries.stream()
          .map(
              each ->
                  each.attempt() == 1
                      ? ProcessResult.<String>failed(new IllegalStateException("no"))
                      : ProcessResult.<String>done())
          .toList();
    }
  }

  static class Around {
    @Bean
    ProcessorInterceptor<Object> around() {
      return (processor, delivery, call) -> {
        SEEN.add("around " + (MDC.get("traceId") != null));
        return call.process(delivery);
      };
    }
  }

  @BeforeEach
  void forget() {
    SEEN.clear();
  }

  private ApplicationContextRunner runner(Class<?>... more) {
    return Contexts.runner(directory, Billing.class).withUserConfiguration(more);
  }

  private static void observed(ApplicationContext context, Runnable what) {
    Observation.createNotStarted("request", context.getBean(ObservationRegistry.class))
        .observe(what);
  }

  private static SpanData span(ApplicationContext context, String name) {
    await().until(() -> !context.getBean(Tracing.Spans.class).named(name).isEmpty());
    return context.getBean(Tracing.Spans.class).named(name).get(0);
  }

  private static Delivery<?> message(ApplicationContext context, String queue) {
    return context.getBean(RiverQueues.class).find(queue).get().read(0).get();
  }

  private static byte[] header(ApplicationContext context, String queue, String name) {
    return message(context, queue).headers().get(name);
  }

  @Test
  void shouldTakeTheTraceOfThePublisherToTheListener() {
    runner(Tracing.class)
        .run(
            context -> {
              RiverTemplate template = context.getBean(RiverTemplate.class);
              observed(context, () -> template.publish("orders", "a"));
              SpanData request = span(context, "request");
              SpanData create = span(context, "create orders");
              SpanData process = span(context, "process orders");
              assertThat(create.getParentSpanId()).isEqualTo(request.getSpanId());
              assertThat(process.getParentSpanId()).isEqualTo(create.getSpanId());
              assertThat(process.getTraceId()).isEqualTo(request.getTraceId());
              assertThat(SEEN).containsExactly(request.getTraceId());
              assertThat(header(context, "orders", "traceparent"))
                  .asString(UTF_8)
                  .contains(create.getSpanId());
            });
  }

  @Test
  void shouldTakeTheTraceAcrossARestart() {
    Queue<String> published = new ConcurrentLinkedQueue<>();
    runner(Tracing.class)
        .run(
            context -> {
              context.getBean(RiverListeners.class).stop("orders/billing");
              RiverTemplate template = context.getBean(RiverTemplate.class);
              observed(context, () -> template.publish("orders", "a"));
              published.add(span(context, "request").getTraceId());
            });
    runner(Tracing.class)
        .run(
            context -> {
              SpanData process = span(context, "process orders");
              assertThat(process.getTraceId()).isEqualTo(published.remove());
              assertThat(SEEN).containsExactly(process.getTraceId());
            });
  }

  @Test
  void shouldObserveWhatAListenerThrowsAndEachFurtherDelivery() {
    runner(Tracing.class)
        .run(
            context -> {
              RiverTemplate template = context.getBean(RiverTemplate.class);
              observed(context, () -> template.publish("orders", "fails"));
              Tracing.Spans spans = context.getBean(Tracing.Spans.class);
              await().until(() -> spans.named("process orders").size() == 2);
              List<SpanData> both = spans.named("process orders");
              assertThat(both.get(0).getStatus().getStatusCode())
                  .isEqualTo(StatusData.error().getStatusCode());
              assertThat(both.get(1).getStatus()).isEqualTo(StatusData.unset());
              assertThat(both.get(0).getTraceId()).isEqualTo(both.get(1).getTraceId());
              assertThat(both.get(1).getAttributes().asMap().toString())
                  .contains("river.message.attempt=2", "messaging.destination.name=orders");
            });
  }

  @Test
  void shouldBeginATraceForABatch() {
    runner(Tracing.class)
        .run(
            context -> {
              RiverTemplate template = context.getBean(RiverTemplate.class);
              observed(context, () -> template.publishAll("batches", List.of("a")));
              SpanData process = span(context, "process batches");
              assertThat(process.getTraceId()).isNotEqualTo(span(context, "request").getTraceId());
              assertThat(process.getStatus().getStatusCode())
                  .isEqualTo(StatusData.error().getStatusCode());
              assertThat(SEEN).first().isEqualTo(process.getTraceId());
            });
  }

  @Test
  void shouldKeepTheTraceOfAMessageThatComesFromElsewhere() {
    runner(Tracing.class)
        .run(
            context -> {
              RiverTemplate template = context.getBean(RiverTemplate.class);
              Message<String> message =
                  Message.of("a")
                      .withHeader("traceparent", ELSEWHERE.getBytes(UTF_8))
                      .withHeader("tracestate", "a=b".getBytes(UTF_8));
              template.publish("orders", message);
              assertThat(span(context, "process orders").getTraceId())
                  .isEqualTo(ELSEWHERE.substring(3, 35));
              assertThat(header(context, "orders", "tracestate")).asString(UTF_8).isEqualTo("a=b");
              observed(context, () -> template.publish("batches", message));
              assertThat(header(context, "batches", "traceparent"))
                  .asString(UTF_8)
                  .contains(span(context, "create batches").getSpanId());
              assertThat(header(context, "batches", "tracestate")).isNull();
            });
  }

  @Test
  void shouldBeAroundInterceptors() {
    runner(Tracing.class, Around.class)
        .run(
            context -> {
              context.getBean(RiverTemplate.class).publish("orders", "a");
              await().until(() -> SEEN.size() == 2);
              assertThat(SEEN).first().isEqualTo("around true");
            });
  }

  @Test
  void shouldAddNothingWithoutARegistry() {
    runner()
        .run(
            context -> {
              context.getBean(RiverTemplate.class).publish("orders", "a");
              await().until(() -> SEEN.size() == 1);
              assertThat(context).doesNotHaveBean("riverObservedListeners");
              assertThat(message(context, "orders").headers()).isEmpty();
            });
  }

  @Test
  void shouldAddNothingWhereTheRegistryHasNoHandler() {
    runner()
        .withBean(ObservationRegistry.class, ObservationRegistry::create)
        .run(
            context -> {
              assertThat(context).hasBean("riverObservedListeners");
              context.getBean(RiverTemplate.class).publish("orders", "a");
              await().until(() -> SEEN.size() == 1);
              assertThat(message(context, "orders").headers()).isEmpty();
            });
  }

  @Test
  void shouldNotWarnOfItselfWhereQueuesAreInAFile() throws IOException {
    Path file =
        Files.writeString(
            directory.resolve("river.xml"),
            """
            <river>
              <queue name="orders">
                <params>
                  <param name="queue.message.converter" value="utf8"/>
                  <param name="queue.directory" value="%s"/>
                </params>
              </queue>
            </river>
            """
                .formatted(directory.resolve("data")));
    try (CapturedLog log = new CapturedLog(RiverAutoConfiguration.class)) {
      Contexts.runner(directory, Tracing.class)
          .withPropertyValues("river.config=" + file)
          .run(context -> assertThat(context).hasBean("riverObservedPublishes"));
      assertThat(log.warnings()).isEmpty();
    }
  }
}
