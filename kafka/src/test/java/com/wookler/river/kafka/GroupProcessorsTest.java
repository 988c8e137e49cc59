package com.wookler.river.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.subscriber.Backoff;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.Settlement;
import com.wookler.river.reactor.DeliverySource;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.reactor.Reactor;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The processors of {@link ProcessorContract} on a consumer group, and what only that has. */
@Tag("full")
class GroupProcessorsTest extends KafkaProcessorsFixture {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration WAIT = Duration.ofMillis(200);

  @Override
  DeliverySource<String> of(Map<String, Object> properties, String topic) {
    properties.put("max.poll.interval.ms", 4_000);
    properties.put("session.timeout.ms", 6_000);
    return builder(properties, topic).earliest().build();
  }

  private static KafkaGroup.Builder<String> builder(Map<String, Object> properties, String topic) {
    return KafkaGroup.builder(properties, topic, "group-" + topic, converter());
  }

  @Test
  void shouldReadWhatCameBetweenTwoMembersThatBeginWithTheLatest() throws Exception {
    String topic = "group-latest";
    DeliverySource<String> any = source(topic);
    try (Admin admin = broker.admin()) {
      String id =
          admin
              .describeTopics(List.of(topic))
              .allTopicNames()
              .get()
              .get(topic)
              .topicId()
              .toString();
      assertThat(any.origin()).isEqualTo("kafka:" + id);
    }
    publish(null, List.of("before"));
    DeliverySource<String> latest = builder(broker.client(), topic).build();
    try (DeliverySource.Consumer<String> first = latest.consumer(10);
        Admin admin = broker.admin()) {
      await()
          .atMost(MINUTE)
          .until(
              () -> {
                assertThat(first.take(WAIT)).isEmpty();
                return !admin
                    .listConsumerGroupOffsets("group-" + topic)
                    .partitionsToOffsetAndMetadata()
                    .get()
                    .isEmpty();
              });
    }
    publish(null, List.of("between"));
    try (DeliverySource.Consumer<String> second = latest.consumer(10)) {
      await().atMost(MINUTE).until(() -> takeAndAck(second).equals(List.of("between")));
    }
  }

  private static List<String> takeAndAck(DeliverySource.Consumer<String> consumer)
      throws InterruptedException {
    List<Delivery<String>> batch = consumer.take(WAIT);
    consumer.settle(Collections.nCopies(batch.size(), Settlement.ack()));
    return batch.stream().map(Delivery::data).toList();
  }

  @Test
  void shouldWaitAsLongAsItsBackoffSays() throws Exception {
    String topic = "group-backoff";
    source(topic);
    publish("k", List.of("m"));
    List<Long> at = Collections.synchronizedList(new ArrayList<>());
    try (Reactor<String> reactor =
        Reactor.builder(
                builder(broker.client(), topic)
                    .earliest()
                    .backoff(Backoff.fixed(Duration.ofSeconds(1)))
                    .maxDeliveries(3)
                    .build())
            .processor(
                each -> {
                  at.add(System.nanoTime());
                  if (at.size() == 1) {
                    return ProcessResult.retry();
                  }
                  throw new IllegalStateException("fails each time");
                })
            .start()) {
      await().atMost(MINUTE).until(() -> deadLetters().size() == 1);
      assertThat(reactor.stats().failed()).isEqualTo(2);
    }
    assertThat(at).hasSize(3);
    assertThat(Duration.ofNanos(at.get(1) - at.get(0))).isGreaterThan(Duration.ofMillis(900));
    assertThat(Duration.ofNanos(at.get(2) - at.get(1))).isGreaterThan(Duration.ofMillis(900));
    assertThat(deadLetters().get("m")).startsWith("delivered 3 times").contains("fails each time");
  }

  @Test
  void shouldHaveDeadLettersWhateverIsSetForTheConsumer() throws Exception {
    String topic = "group-settings";
    source(topic);
    publish("k", List.of("m"));
    Map<String, Object> properties = broker.client();
    properties.put("request.timeout.ms", 60_000);
    properties.put("default.api.timeout.ms", 60_000);
    properties.put("interceptor.classes", Interceptor.class.getName());
    properties.put("client.id", "group-settings");
    try (Reactor<String> reactor =
        Reactor.builder(builder(properties, topic).earliest().build())
            .processor(each -> ProcessResult.reject("no"))
            .start()) {
      await().atMost(MINUTE).until(() -> deadLetters().size() == 1);
      assertThat(reactor.stats().rejected()).isEqualTo(1);
    }
  }

  /** Belongs to consumers: a producer that got it would refuse to start. */
  public static final class Interceptor implements ConsumerInterceptor<byte[], byte[]> {
    @Override
    public ConsumerRecords<byte[], byte[]> onConsume(ConsumerRecords<byte[], byte[]> records) {
      return records;
    }

    @Override
    public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {}

    @Override
    public void close() {}

    @Override
    public void configure(Map<String, ?> settings) {}
  }

  @Test
  void shouldKeepADeadLetterWithoutItsValueIfThatIsTooLarge() throws Exception {
    String topic = "group-large";
    String dead = topic + "-group-" + topic + "-dead";
    source(topic);
    try (Admin admin = broker.admin()) {
      admin
          .createTopics(
              List.of(new NewTopic(dead, 1, (short) 1).configs(Map.of("max.message.bytes", "600"))))
          .all()
          .get();
    }
    publish(null, List.of("x".repeat(5_000), "small"));
    try (Reactor<String> reactor =
        Reactor.builder(builder(broker.client(), topic).earliest().build())
            .processor(each -> ProcessResult.reject("no"))
            .start()) {
      await().atMost(MINUTE).until(() -> broker.read(dead).size() == 2);
      assertThat(reactor.isRunning()).isTrue();
    }
    Map<String, String> reasons = new HashMap<>();
    for (ConsumerRecord<byte[], byte[]> letter : broker.read(dead)) {
      reasons.put(
          letter.value() == null ? "none" : new String(letter.value(), StandardCharsets.UTF_8),
          header(letter, "kafka-place") + " " + header(letter, "river-reason"));
    }
    assertThat(reasons.get("none")).startsWith(topic + "/0/0 no; without its value");
    assertThat(reasons.get("small")).isEqualTo(topic + "/0/1 no");
  }

  private static String header(ConsumerRecord<?, ?> record, String name) {
    return new String(record.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
  }

  @Test
  void shouldWriteDeadLettersOnceTheirTopicIsThereAgain() throws Exception {
    String topic = "group-away";
    String dead = topic + "-group-" + topic + "-dead";
    DeliverySource<String> source = source(topic);
    publish("k", List.of("m", "n"));
    List<String> seen = Collections.synchronizedList(new ArrayList<>());
    try (DeliverySource.Consumer<String> consumer = source.consumer(10)) {
      broker.deleteTopic(dead);
      await().atMost(MINUTE).until(() -> take(consumer, seen));
      consumer.settle(List.of(Settlement.reject("no")));
      assertThat(consumer.take(WAIT)).as("the key is locked until its letter is there").isEmpty();
      broker.createTopic(dead, 1);
      await().atMost(MINUTE).until(() -> take(consumer, seen));
      consumer.settle(List.of(Settlement.ack()));
    }
    assertThat(seen).containsExactly("m", "n");
    assertThat(deadLetters()).containsOnlyKeys("m");
  }

  @Test
  void shouldNotDisturbABatchWhenAMemberJoins() throws Exception {
    String topic = "group-joins";
    DeliverySource<String> source = source(topic);
    broker.addPartitions(topic, 4);
    publishToPartitions(topic, 8);
    Set<String> working = ConcurrentHashMap.newKeySet();
    List<String> seen = Collections.synchronizedList(new ArrayList<>());
    Reactor.Builder<String> builder =
        Reactor.builder(source)
            .batchProcessor(
                "slow",
                batch -> {
                  batch.forEach(
                      each -> seen.add((working.add(each.key()) ? "" : "at once ") + each.data()));
                  CompletableFuture<Void> time = new CompletableFuture<>();
                  time.completeOnTimeout(null, 1_500, TimeUnit.MILLISECONDS).join();
                  batch.forEach(each -> working.remove(each.key()));
                  return Collections.nCopies(batch.size(), ProcessResult.ack());
                })
            .batchSize(4)
            .orderBy(Order.KEY);
    try (Reactor<String> first = builder.start()) {
      await().atMost(MINUTE).until(() -> seen.size() >= 4);
      try (Reactor<String> second = builder.start()) {
        await()
            .atMost(MINUTE)
            .until(() -> first.stats().finished() + second.stats().finished() >= 32);
        assertThat(second.stats().finished()).isPositive();
      }
    }
    for (int i = 0; i < 4; i++) {
      String key = "p" + i;
      assertThat(seen.stream().filter(each -> each.contains(key)))
          .containsExactly(
              IntStream.range(0, 8).mapToObj(n -> key + "-" + n).toArray(String[]::new));
    }
  }

  private void publishToPartitions(String topic, int number) {
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(broker.client(), new StringSerializer(), new StringSerializer())) {
      for (int n = 0; n < number; n++) {
        for (int i = 0; i < 4; i++) {
          var unused = producer.send(new ProducerRecord<>(topic, i, "p" + i, "p" + i + "-" + n));
        }
      }
    }
  }

  private static boolean take(DeliverySource.Consumer<String> consumer, List<String> seen)
      throws InterruptedException {
    List<Delivery<String>> batch = consumer.take(WAIT);
    batch.forEach(each -> seen.add(each.data()));
    return !batch.isEmpty();
  }

  @Test
  void shouldRefuseProperties() {
    for (String name : List.of("group.id", "enable.auto.commit", "key.deserializer")) {
      Map<String, Object> properties = broker.client();
      properties.put(name, "false");
      assertThatThrownBy(() -> builder(properties, "refused").build())
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining(name);
    }
    Map<String, Object> properties = broker.client();
    properties.put("max.poll.records", "many");
    assertThatThrownBy(() -> builder(properties, "refused").build())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("max.poll.records");
    assertThatThrownBy(() -> builder(broker.client(), "refused").maxDeliveries(-1).build())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("-1 deliveries");
  }
}
