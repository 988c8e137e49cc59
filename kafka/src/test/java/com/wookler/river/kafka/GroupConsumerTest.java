package com.wookler.river.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Backoff;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Settlement;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

/** What a group's consumer does when partitions move, by a script. */
class GroupConsumerTest {
  private static final Duration WAIT = Duration.ofMillis(10);
  private static final TopicPartition P0 = new TopicPartition("orders", 0);
  private static final TopicPartition P1 = new TopicPartition("orders", 1);

  private final MockConsumer<byte[], byte[]> kafka = new MockConsumer<>("earliest");

  private GroupConsumer<String> consumer(int max) {
    Map<String, Object> properties =
        Map.of("bootstrap.servers", "127.0.0.1:1", "max.poll.interval.ms", "8000");
    kafka.updateBeginningOffsets(Map.of(P0, 0L, P1, 0L));
    GroupSource<String> source =
        new GroupSource<>(
            new SourceSettings<>(
                new SourceSettings.Names("orders", "group", "dead"),
                new TopicIdentity("orders", properties),
                properties,
                MessageConverter.utf8(),
                Backoff.none(),
                0));
    return new GroupConsumer<>(source, max, kafka, new DeadLetterTopic("dead", properties));
  }

  private void add(TopicPartition partition, long offset, int size) {
    byte[] bytes = ("m" + partition.partition() + offset).getBytes(StandardCharsets.UTF_8);
    kafka.addRecord(
        new ConsumerRecord<>(
            partition.topic(),
            partition.partition(),
            offset,
            0,
            TimestampType.CREATE_TIME,
            1,
            size,
            new byte[] {(byte) partition.partition()},
            bytes,
            new RecordHeaders(),
            Optional.empty()));
  }

  private void assign(TopicPartition... partitions) {
    kafka.schedulePollTask(() -> kafka.rebalance(List.of(partitions)));
  }

  private static List<String> texts(List<Delivery<String>> batch) {
    return batch.stream().map(Delivery::data).toList();
  }

  @Test
  void shouldNotDeliverWhatMovesWhileItPolls() {
    try (GroupConsumer<String> consumer = consumer(1)) {
      assign(P0, P1);
      kafka.schedulePollTask(
          () -> {
            add(P0, 0, 10);
            add(P1, 0, 10);
          });
      assertThat(consumer.take(WAIT)).isEmpty();
      List<String> first = texts(consumer.take(WAIT));
      assertThat(first).hasSize(1);
      consumer.settle(List.of(Settlement.ack()));
      assign(first.get(0).equals("m00") ? P0 : P1); // the other one, of which a message is there
      assertThat(consumer.take(WAIT)).isEmpty();
    }
  }

  @Test
  void shouldDropAnswersForWhatMovedWhileItWasProcessed() {
    try (GroupConsumer<String> consumer = consumer(10)) {
      assign(P0, P1);
      assertThat(consumer.take(WAIT)).isEmpty();
      add(P0, 0, 10);
      add(P1, 0, 10);
      assertThat(consumer.take(WAIT)).hasSize(2);
      assertThat(consumer.lease()).isEqualTo(Duration.ofSeconds(8));
      assign(P1);
      consumer.keepAlive();
      consumer.settle(List.of(Settlement.ack(), Settlement.ack()));
      assertThat(kafka.committed(Set.of(P0, P1)))
          .containsEntry(P0, new OffsetAndMetadata(0))
          .containsEntry(P1, new OffsetAndMetadata(1));
    }
  }

  @Test
  void shouldTakePartInItsGroupWhileNothingIsTaken() {
    try (GroupConsumer<String> consumer = consumer(10)) {
      assign(P0);
      consumer.idle();
      assertThat(kafka.assignment()).containsExactly(P0);
      add(P0, 0, 10);
      consumer.idle();
      assertThat(kafka.paused()).containsExactly(P0);
      assertThat(texts(consumer.take(WAIT))).containsExactly("m00");
    }
  }

  @Test
  void shouldReadNoMoreOfAPartitionThanItsBytes() {
    try (GroupConsumer<String> consumer = consumer(1)) {
      assign(P0, P1);
      assertThat(consumer.take(WAIT)).isEmpty();
      add(P0, 0, (int) GroupConsumer.WINDOW_BYTES);
      add(P1, 0, 10);
      assertThat(consumer.take(WAIT)).hasSize(1);
      consumer.settle(List.of(Settlement.nack(Duration.ofHours(1))));
      assertThat(consumer.take(WAIT)).hasSize(1);
      assertThat(kafka.paused()).containsExactly(P0);
    }
  }
}
