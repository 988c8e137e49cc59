package com.wookler.river.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.core.FullPolicy;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.Origin;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A source and a real broker, which runs for all tests of the module. */
@Tag("full")
@Timeout(120)
class KafkaSourceTest {
  private final Broker broker = Broker.shared();

  @TempDir Path directory;

  private String topic;

  @BeforeEach
  void name(TestInfo test) {
    topic = "source-" + Integer.toHexString(test.getDisplayName().hashCode());
  }

  private static MessageQueue<String> queue(Path in) {
    return MessageQueue.builder("orders", MessageConverter.utf8()).directory(in).open();
  }

  private KafkaSource.Builder<String> source(MessageQueue<String> queue) {
    return KafkaSource.builder(queue, broker.client()).topics(topic).pause(Duration.ofMillis(100));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private KafkaProducer<byte[], byte[]> producer(String... more) {
    Map<String, Object> properties = broker.client();
    for (int i = 0; i < more.length; i += 2) {
      properties.put(more[i], more[i + 1]);
    }
    return new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
  }

  private static void send(
      KafkaProducer<byte[], byte[]> producer, ProducerRecord<byte[], byte[]> record) {
    var unused = producer.send(record);
  }

  private void send(int from, int to) {
    try (KafkaProducer<byte[], byte[]> producer = producer()) {
      for (int n = from; n < to; n++) {
        send(producer, new ProducerRecord<>(topic, bytes("k" + n % 7), bytes("m" + n)));
      }
    }
  }

  private static List<String> numbers(int from, int to) {
    return IntStream.range(from, to).mapToObj(n -> "m" + n).toList();
  }

  private static List<String> texts(MessageQueue<String> queue) {
    List<String> found = new ArrayList<>();
    for (Delivery<String> each : queue.read(0, 100_000)) {
      found.add(each.data());
    }
    return found;
  }

  private static void awaitMessages(MessageQueue<?> queue, long number) {
    await().atMost(Duration.ofMinutes(1)).until(() -> queue.stats().nextSequence() >= number);
  }

  private Origin origin(int partition) throws Exception {
    try (Admin admin = broker.admin()) {
      Uuid id = admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic).topicId();
      return Origin.of("kafka:" + id + ":" + partition);
    }
  }

  private long last(MessageQueue<?> queue, int partition) throws Exception {
    return queue.lastFrom(origin(partition)).orElse(-1);
  }

  @Test
  void shouldTakeDataKeyHeadersPlaceAndTime() throws Exception {
    broker.createTopic(topic, 1);
    try (KafkaProducer<byte[], byte[]> producer = producer()) {
      ProducerRecord<byte[], byte[]> record =
          new ProducerRecord<>(topic, 0, 1_700_000_000_000L, bytes("schlüssel"), bytes("data"));
      record.headers().add("trace", new byte[] {1, 0, -1});
      record.headers().add("river-id", bytes("id-1"));
      record.headers().add("river-origin", bytes("of another queue"));
      send(producer, record);
      send(producer, new ProducerRecord<>(topic, new byte[] {-1, -2}, bytes("binary key")));
      send(producer, new ProducerRecord<>(topic, bytes("deleted"), null));
    }
    try (MessageQueue<String> queue = queue(directory);
        KafkaSource<String> source = source(queue).start()) {
      awaitMessages(queue, 3);
      Delivery<String> first = queue.read(0).orElseThrow();
      assertThat(first.data()).isEqualTo("data");
      assertThat(first.key()).isEqualTo("schlüssel");
      assertThat(first.headers().get("river-id")).isEqualTo(bytes("id-1"));
      assertThat(first.headers().get("trace")).containsExactly(1, 0, -1);
      assertThat(first.headers().get("kafka-place")).isEqualTo(bytes(topic + "/0/0"));
      assertThat(first.headers().get("kafka-time"))
          .isEqualTo(ByteBuffer.allocate(8).putLong(1_700_000_000_000L).array());
      assertThat(first.headers().get("river-origin")).isNotEqualTo(bytes("of another queue"));
      Delivery<String> second = queue.read(1).orElseThrow();
      assertThat(second.key()).isEqualTo("//4=");
      assertThat(second.headers().get("kafka-key")).containsExactly(-1, -2);
      assertThat(queue.read(2).orElseThrow().data()).isEmpty();
      await().until(() -> source.stats().stored() == 3);
    }
  }

  @Test
  void shouldContinueAfterWhatTheQueueHasWhateverTheGroupSays() throws Exception {
    broker.createTopic(topic, 1);
    send(0, 1_000);
    try (MessageQueue<String> queue = queue(directory)) {
      try (KafkaSource<String> source = source(queue).start()) {
        awaitMessages(queue, 1_000);
        assertThat(source.isAway()).isFalse();
      }
      broker.deleteGroup("river-" + queue.identity());
      send(1_000, 1_100);
      try (KafkaSource<String> source = source(queue).start()) {
        awaitMessages(queue, 1_100);
        assertThat(source.stats().skipped()).isZero();
      }
      assertThat(texts(queue)).containsExactlyElementsOf(numbers(0, 1_100));
      assertThat(last(queue, 0)).isEqualTo(1_099);
    }
  }

  @Test
  void shouldTakeOnlyWhatWasCommittedAndPassHoles() throws Exception {
    broker.createTopic(topic, 1);
    try (KafkaProducer<byte[], byte[]> producer = producer("transactional.id", topic)) {
      producer.initTransactions();
      for (int round = 0; round < 20; round++) {
        producer.beginTransaction();
        for (int n = 0; n < 10; n++) {
          String text = (round % 2 == 0 ? "m" : "aborted") + (round / 2 * 10 + n);
          send(producer, new ProducerRecord<>(topic, null, bytes(text)));
        }
        if (round % 2 == 0) {
          producer.commitTransaction();
        } else {
          producer.flush();
          producer.abortTransaction();
        }
      }
    }
    try (MessageQueue<String> queue = queue(directory)) {
      for (int run = 0; run < 2; run++) {
        try (KafkaSource<String> source = source(queue).start()) {
          awaitMessages(queue, 100);
          await().until(() -> !source.isAway());
        }
      }
      assertThat(texts(queue)).containsExactlyElementsOf(numbers(0, 100));
    }
  }

  @Test
  void shouldTakeEachOnceWhenQueuesShareAGroup() throws Exception {
    broker.createTopic(topic, 6);
    Map<String, Object> properties = broker.client();
    properties.put("group.id", topic);
    try (MessageQueue<String> one = queue(directory.resolve("one"));
        MessageQueue<String> other = queue(directory.resolve("other"));
        KafkaSource<String> first = KafkaSource.builder(one, properties).topics(topic).start()) {
      send(0, 1_000);
      awaitMessages(one, 1_000);
      try (KafkaSource<String> second =
          KafkaSource.builder(other, properties).topics(topic).start()) {
        for (int n = 1_000; other.stats().nextSequence() == 0; n += 100) {
          send(n, n + 100);
        }
        assertThat(second.isAway()).isFalse();
      }
      send(100_000, 101_000);
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> texts(one).stream().filter(each -> each.length() == 7).count() == 1_000);
      assertThat(first.stats().failures()).isZero();
      List<String> all = new ArrayList<>(texts(one));
      all.addAll(texts(other));
      assertThat(new HashSet<>(all)).hasSameSizeAs(all).hasSameSizeAs(broker.read(topic));
    }
  }

  @Test
  void shouldReadATopicThatWasMadeAgain() throws Exception {
    broker.createTopic(topic, 1);
    send(0, 10);
    try (MessageQueue<String> queue = queue(directory)) {
      try (KafkaSource<String> source = source(queue).start()) {
        awaitMessages(queue, 10);
        assertThat(source.isAway()).isFalse();
      }
      try (Admin admin = broker.admin()) {
        admin.deleteTopics(List.of(topic)).all().get();
        await().ignoreExceptions().until(() -> !admin.listTopics().names().get().contains(topic));
      }
      await()
          .ignoreExceptions()
          .until(
              () -> {
                broker.createTopic(topic, 1);
                return true;
              });
      send(10, 15);
      try (KafkaSource<String> source = source(queue).start()) {
        awaitMessages(queue, 15);
        assertThat(source.stats().skipped()).isZero();
      }
      assertThat(texts(queue)).containsExactlyElementsOf(numbers(0, 15));
    }
  }

  @Test
  void shouldWaitWhereTheOffsetsOfATopicWentBack() throws Exception {
    broker.createTopic(topic, 1);
    send(0, 10);
    try (MessageQueue<String> queue = queue(directory)) {
      queue.putFrom(origin(0), 100, Message.of("had more"), Durability.MEMORY);
      try (KafkaSource<String> source = source(queue).start()) {
        await().atMost(Duration.ofMinutes(1)).until(source::isAway);
        assertThat(source.stats().failure()).contains("went back from 100 to 0");
        assertThat(source.stats().skipped()).isZero();
      }
    }
  }

  @Test
  void shouldEndWhenItsQueueIsClosedWhileThereIsNothingToRead() throws Exception {
    broker.createTopic(topic, 1);
    send(0, 10);
    try (MessageQueue<String> queue = queue(directory);
        KafkaSource<String> source = source(queue).start()) {
      awaitMessages(queue, 10);
      KafkaForwarderTest.closeNow(queue);
      await().until(() -> source.stats().stopped());
    }
  }

  @Test
  void shouldWaitWhileTheQueueIsFull() throws Exception {
    broker.createTopic(topic, 1);
    send(0, 500);
    try (MessageQueue<String> queue =
            MessageQueue.builder("orders", MessageConverter.utf8())
                .directory(directory)
                .maxMessages(100)
                .whenFull(FullPolicy.REJECT, Duration.ZERO)
                .subscriber(SubscriberConfig.builder("all").ack(true).build())
                .open();
        KafkaSource<String> source = source(queue).start()) {
      await().atMost(Duration.ofMinutes(1)).until(source::isAway);
      assertThat(source.stats().failure()).contains("QueueFull");
      List<String> found = new ArrayList<>();
      while (found.size() < 500) {
        List<Delivery<String>> batch = queue.subscriber("all").batch(100, Duration.ofSeconds(60));
        assertThat(batch).isNotEmpty();
        batch.forEach(each -> found.add(each.data()));
        queue.subscriber("all").ack(batch);
      }
      assertThat(found).containsExactlyElementsOf(numbers(0, 500));
      await().until(() -> !source.isAway());
    }
  }

  @Test
  void shouldWaitAtARecordThatIsRefusedOrLeaveItOutIfItIsToldTo() throws Exception {
    broker.createTopic(topic, 1);
    send(0, 5);
    try (KafkaProducer<byte[], byte[]> producer = producer()) {
      send(producer, new ProducerRecord<>(topic, null, bytes("x".repeat(50_000))));
    }
    send(5, 10);
    try (MessageQueue<String> queue =
        MessageQueue.builder("orders", MessageConverter.utf8())
            .directory(directory)
            .maxMessageBytes(10_000)
            .open()) {
      try (KafkaSource<String> source = source(queue).start()) {
        await().atMost(Duration.ofMinutes(1)).until(source::isAway);
        assertThat(source.stats().failure()).contains("bytes");
        assertThat(queue.stats().nextSequence()).isEqualTo(5);
      }
      List<Long> refused = new ArrayList<>();
      try (KafkaSource<String> source =
          source(queue).onRefused((record, why) -> refused.add(record.offset())).start()) {
        awaitMessages(queue, 10);
        assertThat(source.stats().refused()).isEqualTo(1);
      }
      assertThat(refused).containsExactly(5L);
      assertThat(texts(queue)).containsExactlyElementsOf(numbers(0, 10));
    }
  }
}
