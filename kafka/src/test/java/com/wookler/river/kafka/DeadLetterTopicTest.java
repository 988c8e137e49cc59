package com.wookler.river.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What becomes of dead letters that their topic does not take. */
class DeadLetterTopicTest {
  private final List<ProducerRecord<byte[], byte[]>> sent = new ArrayList<>();

  /** A topic to which each record may fail. */
  private DeadLetterTopic topic(
      Function<ProducerRecord<byte[], byte[]>, @Nullable Exception> failure) {
    MockProducer<byte[], byte[]> producer =
        new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer()) {
          @Override
          public synchronized Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record) {
            sent.add(record);
            Exception thrown = failure.apply(record);
            return thrown == null ? super.send(record) : CompletableFuture.failedFuture(thrown);
          }
        };
    return new DeadLetterTopic("dead", producer);
  }

  private static DeadLetterTopic.Letter letter() {
    byte[] key = "k".getBytes(StandardCharsets.UTF_8);
    return new DeadLetterTopic.Letter(
        new ConsumerRecord<>("orders", 1, 17, key, new byte[] {1}), "no");
  }

  private static String header(ProducerRecord<?, ?> record, String name) {
    return new String(record.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
  }

  @Test
  void shouldKeepPlaceReasonAndKeyOfWhatTheTopicRefuses() {
    try (DeadLetterTopic topic =
        topic(each -> each.key() == null ? null : new InvalidTimestampException("too old"))) {
      assertThat(topic.send(List.of(letter()))).hasSize(1);
    }
    assertThat(sent).hasSize(3);
    ProducerRecord<byte[], byte[]> bare = sent.get(2);
    assertThat(bare.value()).isNull();
    assertThat(bare.timestamp()).isNull();
    assertThat(header(bare, "kafka-place")).isEqualTo("orders/1/17");
    assertThat(header(bare, "river-reason")).startsWith("no; without its value");
    assertThat(header(bare, "river-key")).isEqualTo("k");
  }

  @Test
  void shouldNotTryAgainAtOnce() {
    try (DeadLetterTopic topic = topic(each -> new TimeoutException("away"))) {
      assertThat(topic.send(List.of(letter()))).isEmpty();
      assertThat(topic.send(List.of(letter()))).isEmpty();
      assertThat(topic.retryNanos() - System.nanoTime()).isPositive();
    }
    assertThat(sent).hasSize(1);
  }
}
