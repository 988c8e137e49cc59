package com.wookler.river.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.opentelemetry.RiverTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Scope;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A trace, from a queue through a topic of a real broker into another queue. */
@Tag("full")
@Timeout(120)
class TraceTest {
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final Span REQUEST =
      Span.wrap(
          SpanContext.create(
              TRACE, "b7ad6b7169203331", TraceFlags.getSampled(), TraceState.getDefault()));

  private final Broker broker = Broker.shared();
  private final RiverTelemetry telemetry = RiverTelemetry.create(OpenTelemetry.noop());

  @TempDir Path directory;

  private MessageQueue<String> queue(String name) {
    return MessageQueue.builder(name, MessageConverter.utf8())
        .directory(directory)
        .interceptor(telemetry.publishing())
        .open();
  }

  @Test
  @SuppressWarnings("try") // the scope and the two that run are only to be closed
  void shouldSeeTheTraceBehindTheForwarderAndTheSource() throws Exception {
    broker.createTopic("traced", 1);
    try (MessageQueue<String> here = queue("here");
        MessageQueue<String> there = queue("there");
        KafkaForwarder<String> forwarder =
            KafkaForwarder.builder(here, broker.client()).topic("traced").start();
        KafkaSource<String> source =
            KafkaSource.builder(there, broker.client()).topics("traced").start()) {
      try (Scope ignored = REQUEST.makeCurrent()) {
        here.publisher().publish("order");
      }
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> there.stats().nextSequence() == 1 && !forwarder.isAway());
      SpanContext published =
          Span.fromContext(telemetry.context(there.read(0).orElseThrow().headers()))
              .getSpanContext();
      assertThat(published.getTraceId()).isEqualTo(TRACE);
      assertThat(published.isRemote()).isTrue();
      ConsumerRecord<byte[], byte[]> record = broker.read("traced").get(0);
      assertThat(record.headers().lastHeader("traceparent").value())
          .asString(StandardCharsets.US_ASCII)
          .contains(TRACE);
      assertThat(source.isAway()).isFalse();
    }
  }
}
