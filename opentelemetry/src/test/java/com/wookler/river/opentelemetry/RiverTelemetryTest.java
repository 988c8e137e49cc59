package com.wookler.river.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.reactor.Reactor;
import com.wookler.river.relay.RelayProcessor;
import com.wookler.river.rest.client.RiverClient;
import com.wookler.river.rest.client.StoredMessage;
import com.wookler.river.rest.server.RiverServer;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RiverTelemetryTest {
  @TempDir Path directory;

  private final Spans spans = new Spans();
  private final RiverTelemetry telemetry = RiverTelemetry.create(spans.telemetry());

  private MessageQueue<String> open(String name) {
    return MessageQueue.builder(name, MessageConverter.utf8())
        .directory(directory)
        .interceptor(telemetry.publishing())
        .open();
  }

  private static Subscriber<String> billing(MessageQueue<String> queue) {
    return queue.subscriber(SubscriberConfig.builder("billing").ack(true).build());
  }

  /** Publishes within a span, and returns its trace. */
  @SuppressWarnings("try") // the scope is only to be closed
  private String publish(MessageQueue<String> queue, String... messages) {
    Span request = spans.tracer().spanBuilder("request").startSpan();
    try (Scope ignored = request.makeCurrent()) {
      for (String each : messages) {
        queue.publisher().publish(each);
      }
    } finally {
      request.end();
    }
    return request.getSpanContext().getTraceId();
  }

  private SpanData one(String name) {
    await().until(() -> spans.named(name).size() == 1);
    return spans.named(name).get(0);
  }

  private static List<String> traces(SpanData span) {
    return span.getLinks().stream().map(LinkData::getSpanContext).map(c -> c.getTraceId()).toList();
  }

  @Test
  void shouldLinkTheProcessingToThePublish() {
    try (MessageQueue<String> queue = open("orders");
        Reactor<String> reactor =
            Reactor.builder(billing(queue))
                .around(telemetry.processing("orders", "billing"))
                .processor("store", each -> ProcessResult.done())
                .start()) {
      String trace = publish(queue, "a");
      SpanData process = one("process orders");
      SpanData create = one("create orders");
      assertThat(create.getKind()).isEqualTo(SpanKind.PRODUCER);
      assertThat(create.getTraceId()).isEqualTo(trace);
      assertThat(create.getParentSpanId()).isEqualTo(one("request").getSpanId());
      assertThat(process.getKind()).isEqualTo(SpanKind.CONSUMER);
      assertThat(process.getTraceId()).isNotEqualTo(trace);
      assertThat(process.getLinks()).hasSize(1);
      assertThat(process.getLinks().get(0).getSpanContext().getSpanId())
          .isEqualTo(create.getSpanId());
      assertThat(process.getAttributes().get(MessagingConventions.SUBSCRIPTION))
          .isEqualTo("billing");
      assertThat(process.getAttributes().get(MessagingConventions.BODY_SIZE)).isOne();
      assertThat(process.getAttributes().get(MessagingConventions.ATTEMPT)).isOne();
      assertThat(reactor.isRunning()).isTrue();
    }
  }

  @Test
  void shouldContinueTheTraceWhereItIsWanted() {
    RiverTelemetry continuing =
        RiverTelemetry.builder(spans.telemetry()).continueTraces(true).build();
    try (MessageQueue<String> queue = open("orders");
        MessageQueue<String> next = open("next")) {
      String trace = publish(queue, "a");
      try (Reactor<String> reactor =
          Reactor.builder(billing(queue))
              .around(continuing.processing("orders", "billing"))
              .processor(
                  each -> {
                    next.publisher().publish("b");
                    return ProcessResult.done();
                  })
              .start()) {
        SpanData process = one("process orders");
        assertThat(process.getTraceId()).isEqualTo(trace);
        assertThat(process.getParentSpanId()).isEqualTo(one("create orders").getSpanId());
        assertThat(one("create next").getParentSpanId()).isEqualTo(process.getSpanId());
        assertThat(reactor.isRunning()).isTrue();
      }
    }
  }

  @Test
  void shouldFindTheTraceAfterAReopening() {
    String trace;
    try (MessageQueue<String> queue = open("orders")) {
      billing(queue).close();
      trace = publish(queue, "a");
    }
    try (MessageQueue<String> queue = open("orders");
        Reactor<String> reactor =
            Reactor.builder(billing(queue))
                .around(telemetry.processing("orders", "billing"))
                .processor(each -> ProcessResult.done())
                .start()) {
      assertThat(traces(one("process orders"))).containsExactly(trace);
      assertThat(reactor.isRunning()).isTrue();
    }
  }

  @Test
  void shouldLinkABatchToEachPublish() {
    try (MessageQueue<String> queue = open("orders")) {
      Subscriber<String> billing = billing(queue);
      String first = publish(queue, "a");
      String second = publish(queue, "b", "c");
      try (Reactor<String> reactor =
          Reactor.builder(billing)
              .around(telemetry.processing("orders", "billing"))
              .batchProcessor(
                  "store",
                  batch -> batch.stream().map(each -> ProcessResult.<String>done()).toList())
              .start()) {
        SpanData process = one("process orders");
        assertThat(traces(process)).containsExactly(first, second, second);
        assertThat(process.getAttributes().get(MessagingConventions.BATCH_COUNT)).isEqualTo(3);
        assertThat(reactor.isRunning()).isTrue();
      }
    }
  }

  @Test
  void shouldMarkWhatFails() {
    try (MessageQueue<String> queue = open("orders");
        Reactor<String> reactor =
            Reactor.builder(billing(queue))
                .around(telemetry.processing("orders", "billing"))
                .processor(
                    each -> {
                      if (each.attempt() == 1) {
                        throw new IllegalStateException("not yet");
                      }
                      return ProcessResult.done();
                    })
                .start()) {
      publish(queue, "a");
      await().until(() -> spans.named("process orders").size() == 2);
      SpanData first = spans.named("process orders").get(0);
      assertThat(first.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
      assertThat(first.getAttributes().get(MessagingConventions.ERROR_TYPE))
          .isEqualTo("java.lang.IllegalStateException");
      SpanData second = spans.named("process orders").get(1);
      assertThat(second.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
      assertThat(second.getAttributes().get(MessagingConventions.ATTEMPT)).isEqualTo(2);
      assertThat(traces(second)).isEqualTo(traces(first));
      assertThat(reactor.isRunning()).isTrue();
    }
  }

  @Test
  void shouldEndTheSpanOfAnAsynchronousProcessorWhenItsStageCompletes() {
    List<CompletableFuture<ProcessResult<String>>> stages = new CopyOnWriteArrayList<>();
    try (MessageQueue<String> queue = open("orders");
        Reactor<String> reactor =
            Reactor.builder(billing(queue))
                .around(telemetry.processing("orders", "billing"))
                .asyncProcessor(
                    "send",
                    each -> {
                      assertThat(Span.current().getSpanContext().isValid()).isTrue();
                      CompletableFuture<ProcessResult<String>> stage = new CompletableFuture<>();
                      stages.add(stage);
                      return stage;
                    },
                    10)
                .start()) {
      String trace = publish(queue, "a");
      await().until(() -> stages.size() == 1);
      assertThat(spans.named("process orders")).isEmpty();
      stages.get(0).completeExceptionally(new CompletionException(new IOException("away")));
      SpanData failed = one("process orders");
      assertThat(traces(failed)).containsExactly(trace);
      assertThat(failed.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
      assertThat(failed.getAttributes().get(MessagingConventions.ERROR_TYPE))
          .isEqualTo("java.io.IOException");
      await().until(() -> stages.size() == 2);
      stages.get(1).complete(ProcessResult.done());
      await().until(() -> spans.named("process orders").size() == 2);
      assertThat(spans.named("process orders").get(1).getStatus().getStatusCode())
          .isEqualTo(StatusCode.UNSET);
      await().until(() -> reactor.stats().finished() == 1);
    }
  }

  @Test
  void shouldMarkABatchInWhichOneFails() {
    try (MessageQueue<String> queue = open("orders")) {
      Subscriber<String> billing = billing(queue);
      publish(queue, "a", "b");
      try (Reactor<String> reactor =
          Reactor.builder(billing)
              .around(telemetry.processing("orders", "billing"))
              .batchProcessor(
                  "store",
                  batch ->
                      batch.stream()
                          .map(
                              each ->
                                  each.data().equals("b") && each.attempt() == 1
                                      ? ProcessResult.<String>failed(new IOException("not yet"))
                                      : ProcessResult.<String>done())
                          .toList())
              .start()) {
        await().until(() -> spans.named("process orders").size() == 2);
        SpanData first = spans.named("process orders").get(0);
        assertThat(first.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(first.getAttributes().get(MessagingConventions.ERROR_TYPE))
            .isEqualTo("java.io.IOException");
        assertThat(spans.named("process orders").get(1).getStatus().getStatusCode())
            .isEqualTo(StatusCode.UNSET);
        assertThat(reactor.isRunning()).isTrue();
      }
    }
  }

  @Test
  @SuppressWarnings("try") // the scope is only to be closed
  void shouldLeaveNothingOfAnEarlierTrace() {
    Message<String> traced =
        Message.of("a")
            .withHeader("tracestate", "vendor=1".getBytes(StandardCharsets.UTF_8))
            .withHeader("type", new byte[] {1});
    Span request = spans.tracer().spanBuilder("request").startSpan();
    try (Scope ignored = request.makeCurrent()) {
      assertThat(telemetry.<String>publishing().intercept("orders", traced).headers())
          .containsOnlyKeys("traceparent", "type");
    } finally {
      request.end();
    }
  }

  @Test
  void shouldLeaveMessagesAsTheyAreWithoutATrace() {
    Message<String> plain = Message.of("a");
    RiverTelemetry none = RiverTelemetry.create(OpenTelemetry.noop());
    assertThat(none.<String>publishing().intercept("orders", plain)).isSameAs(plain);
    assertThat(none.headers()).isEmpty();
    Message<String> traced =
        Message.of("a")
            .withHeader(
                "traceparent",
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
                    .getBytes(StandardCharsets.UTF_8));
    assertThat(telemetry.<String>publishing().intercept("orders", traced)).isSameAs(traced);
    assertThat(Span.fromContext(telemetry.context(traced.headers())).getSpanContext().getTraceId())
        .isEqualTo("0af7651916cd43dd8448eb211c80319c");
  }

  @Test
  void shouldFindTheTraceBehindARelayAndAServer() throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    try (RiverServer server =
            RiverServer.builder().port(port).directory(directory.resolve("server")).start();
        RiverClient client = RiverClient.builder("http://127.0.0.1:" + port).build();
        MessageQueue<String> queue = open("orders")) {
      Subscriber<String> billing = billing(queue);
      String trace = publish(queue, "a");
      RelayProcessor<String> relay = RelayProcessor.<String>builder(client, "central").build();
      try (Reactor<String> reactor =
          Reactor.builder(billing).batchProcessor("relay", relay).start()) {
        await().until(() -> reactor.stats().finished() == 1);
      }
      StoredMessage there = client.queue("central").message(0).orElseThrow();
      assertThat(Span.fromContext(telemetry.context(there.headers())).getSpanContext().getTraceId())
          .isEqualTo(trace);
      assertThat(server).isNotNull();
    }
  }
}
