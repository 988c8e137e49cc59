package com.wookler.river.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Backoff;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Settlement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.junit.jupiter.api.Test;

/** What a share group's consumer makes of answers to its renewals. */
class ShareGroupConsumerTest {
  private static final Duration WAIT = Duration.ofMillis(10);

  private final ScriptedShareConsumer kafka = new ScriptedShareConsumer();

  private ShareGroupConsumer<String> consumer() {
    Map<String, Object> properties = Map.of("bootstrap.servers", "127.0.0.1:1");
    ShareSource<String> source =
        new ShareSource<>(
            new SourceSettings<>(
                new SourceSettings.Names(ScriptedShareConsumer.TOPIC, "group", "dead"),
                new TopicIdentity(ScriptedShareConsumer.TOPIC, properties),
                properties,
                MessageConverter.utf8(),
                Backoff.none(),
                5),
            GroupSettings.of("group", properties, 5));
    return new ShareGroupConsumer<>(
        source, 2, kafka.consumer(), new DeadLetterTopic("dead", properties));
  }

  private static List<String> texts(List<Delivery<String>> batch) {
    return batch.stream().map(Delivery::data).toList();
  }

  @Test
  void shouldSettleWhatIsStillLocked() throws Exception {
    kafka.poll(1L, 2L).poll(2L).poll(3L);
    try (ShareGroupConsumer<String> consumer = consumer()) {
      assertThat(texts(consumer.take(WAIT))).containsExactly("m1", "m2");
      consumer.keepAlive();
      consumer.settle(List.of(Settlement.reject("lost meanwhile"), Settlement.ack()));
      assertThat(kafka.acknowledged)
          .containsEntry(1L, AcknowledgeType.RENEW)
          .containsEntry(2L, AcknowledgeType.ACCEPT);
      assertThat(texts(consumer.take(WAIT))).containsExactly("m3");
    }
  }

  @Test
  void shouldDeliverWhatCameWithARenewal() throws Exception {
    kafka.poll(1L).poll(1L, 2L, 3L, 4L).poll(1L, 2L, 3L, 4L);
    try (ShareGroupConsumer<String> consumer = consumer()) {
      assertThat(texts(consumer.take(WAIT))).containsExactly("m1");
      consumer.keepAlive();
      consumer.keepAlive();
      consumer.settle(List.of(Settlement.ack()));
      assertThat(texts(consumer.take(WAIT))).containsExactly("m2", "m3");
      consumer.settle(List.of(Settlement.ack(), Settlement.nack(Duration.ZERO)));
      assertThat(texts(consumer.take(WAIT))).containsExactly("m4");
    }
    assertThat(kafka.acknowledged)
        .containsEntry(1L, AcknowledgeType.ACCEPT)
        .containsEntry(2L, AcknowledgeType.ACCEPT)
        .containsEntry(3L, AcknowledgeType.RELEASE)
        .containsEntry(4L, AcknowledgeType.RELEASE);
  }

  @Test
  void shouldKeepWhatWaitsForARetry() throws Exception {
    kafka.poll(1L, 2L).poll(3L);
    try (ShareGroupConsumer<String> consumer = consumer()) {
      assertThat(consumer.take(WAIT)).hasSize(2);
      consumer.settle(List.of(Settlement.nack(Duration.ofHours(1)), Settlement.ack()));
      assertThat(kafka.acknowledged).containsOnlyKeys(2L);
      assertThat(consumer.take(WAIT)).isEmpty();
    }
    assertThat(kafka.acknowledged).containsEntry(1L, AcknowledgeType.RELEASE);
  }

  @Test
  void shouldDeliverWhatWasReleasedWithoutCountingIt() throws Exception {
    kafka.poll(1L, 2L).poll(3L);
    try (ShareGroupConsumer<String> consumer = consumer()) {
      for (int i = 0; i < 10; i++) {
        assertThat(texts(consumer.take(WAIT))).containsExactly("m1", "m2");
        consumer.settle(List.of(Settlement.release(), Settlement.release()));
      }
      assertThat(kafka.acknowledged).isEmpty();
      assertThat(texts(consumer.take(WAIT))).containsExactly("m1", "m2");
      consumer.settle(List.of(Settlement.ack(), Settlement.release()));
      assertThat(texts(consumer.take(WAIT))).containsExactly("m2");
    }
    assertThat(kafka.acknowledged)
        .containsEntry(1L, AcknowledgeType.ACCEPT)
        .containsEntry(2L, AcknowledgeType.RELEASE);
  }

  @Test
  void shouldDeliverWhatWasReleasedWhileAnotherMessageWaits() throws Exception {
    kafka.poll(1L, 2L);
    try (ShareGroupConsumer<String> consumer = consumer()) {
      assertThat(consumer.take(WAIT)).hasSize(2);
      consumer.settle(List.of(Settlement.nack(Duration.ofHours(1)), Settlement.release()));
      assertThat(texts(consumer.take(WAIT))).containsExactly("m2");
      consumer.settle(List.of(Settlement.ack()));
      assertThat(consumer.take(WAIT)).isEmpty();
    }
  }

  @Test
  void shouldKeepAnAnswerForWhatComesBackLate() throws Exception {
    kafka.poll(1L, 2L).poll(2L).poll(1L).poll(3L);
    try (ShareGroupConsumer<String> consumer = consumer()) {
      assertThat(consumer.take(WAIT)).hasSize(2);
      consumer.keepAlive();
      consumer.settle(List.of(Settlement.ack(), Settlement.ack()));
      assertThat(kafka.acknowledged).containsEntry(1L, AcknowledgeType.RENEW);
      assertThat(consumer.take(WAIT)).isEmpty();
      assertThat(kafka.acknowledged).containsEntry(1L, AcknowledgeType.ACCEPT);
      assertThat(texts(consumer.take(WAIT))).containsExactly("m3");
    }
  }

  @Test
  void shouldNotDeliverAgainWhatComesBackWhileItIsProcessed() throws Exception {
    kafka.poll(1L, 2L).poll(2L).poll(1L, 2L).poll(3L);
    try (ShareGroupConsumer<String> consumer = consumer()) {
      assertThat(consumer.take(WAIT)).hasSize(2);
      consumer.keepAlive();
      consumer.keepAlive();
      consumer.settle(List.of(Settlement.ack(), Settlement.ack()));
      assertThat(kafka.acknowledged)
          .containsEntry(1L, AcknowledgeType.ACCEPT)
          .containsEntry(2L, AcknowledgeType.ACCEPT);
      assertThat(texts(consumer.take(WAIT))).containsExactly("m3");
    }
  }

  @Test
  void shouldRenewWhatItHasWhileNothingIsTaken() throws Exception {
    kafka.lock = Duration.ZERO;
    kafka.poll(1L).poll(1L).poll(1L);
    try (ShareGroupConsumer<String> consumer = consumer()) {
      assertThat(consumer.take(WAIT)).hasSize(1);
      consumer.settle(List.of(Settlement.release()));
      assertThat(kafka.acknowledged).isEmpty();
      consumer.idle();
      assertThat(kafka.acknowledged).containsEntry(1L, AcknowledgeType.RENEW);
      assertThat(texts(consumer.take(WAIT))).containsExactly("m1");
    }
  }
}
