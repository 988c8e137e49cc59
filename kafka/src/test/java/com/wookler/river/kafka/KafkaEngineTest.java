package com.wookler.river.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.core.PublishResult;
import com.wookler.river.core.Publisher;
import com.wookler.river.core.River;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageTooLargeException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.reactor.Processor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One application, whose publishers and reactors run where the file says, with a real broker. */
@Tag("full")
@Timeout(180)
class KafkaEngineTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final int KEYS = 5;
  private static final Map<String, List<Integer>> SEEN = new ConcurrentHashMap<>();
  private static final List<Delivery<String>> DELIVERIES = new CopyOnWriteArrayList<>();

  private final Broker broker = Broker.shared();

  @TempDir Path directory;

  /** The application's reactor: it notes the numbers of each key, and fails the first time. */
  public static final class Noting implements Processor<String> {
    /** For the file. */
    public Noting() {}

    @Override
    public ProcessResult<String> process(Delivery<String> delivery) {
      if (delivery.data().equals("rejected")) {
        return ProcessResult.reject("as it says");
      }
      if (delivery.data().equals("again") && delivery.attempt() == 1) {
        throw new IllegalStateException("the first time");
      }
      DELIVERIES.add(delivery);
      if (delivery.key() != null) {
        SEEN.computeIfAbsent(delivery.key(), key -> new CopyOnWriteArrayList<>())
            .add(Integer.valueOf(delivery.data()));
      }
      return ProcessResult.ack();
    }
  }

  /** Where the queue of the application is. */
  enum Shape {
    LOCAL,
    FORWARDED,
    KAFKA_GROUP,
    KAFKA_SHARE
  }

  @BeforeEach
  void forget() {
    SEEN.clear();
    DELIVERIES.clear();
  }

  private static String queue(String name, String engine, String subscribers, String... params) {
    StringBuilder text =
        new StringBuilder("<queue name=\"" + name + "\" engine=\"" + engine + "\"><params>\n");
    text.append("<param name=\"queue.message.converter\" value=\"utf8\"/>\n");
    append(text, params);
    return text + "</params>" + subscribers + "</queue>\n";
  }

  private static void append(StringBuilder text, String... params) {
    for (int i = 0; i < params.length; i += 2) {
      text.append("<param name=\"" + params[i] + "\" value=\"" + params[i + 1] + "\"/>\n");
    }
  }

  private static String reactor(String... params) {
    StringBuilder text = new StringBuilder("<subscribers><subscriber name=\"billing\"><params>\n");
    append(text, "subscriber.ack.required", "true");
    append(text, params);
    return text
        + "</params><processor name=\"noting\" class=\""
        + Noting.class.getName()
        + "\"/></subscriber></subscribers>";
  }

  private Path file(Shape shape, String topic) throws IOException {
    String[] local = {"queue.directory", directory.resolve("data").toString()};
    String[] kafka = {"kafka.bootstrap.servers", broker.servers(), "engine.topic", topic};
    StringBuilder forward = new StringBuilder("<kafka-forward queue=\"orders\"><params>");
    append(forward, "kafka.bootstrap.servers", broker.servers(), "forward.topic", topic);
    forward.append("</params></kafka-forward>");
    String text =
        switch (shape) {
          case LOCAL -> queue("orders", "local", reactor(), local);
          case FORWARDED ->
              queue("orders", "local", "", local)
                  + queue("work", "kafka", reactor(), kafka)
                  + forward;
          case KAFKA_GROUP -> queue("orders", "kafka", reactor(), kafka);
          case KAFKA_SHARE -> queue("orders", "kafka", reactor("engine.consumers", "SHARE"), kafka);
        };
    return Files.writeString(directory.resolve("river.xml"), "<river>\n" + text + "</river>");
  }

  /** What the application does, whatever the shape. */
  private static void publish(Publisher<String> orders) {
    for (int n = 0; n < 100; n++) {
      assertThat(orders.publish(Message.of("" + n).withKey("key" + n % KEYS))).isNotNegative();
    }
    List<Message<String>> batch = new ArrayList<>();
    for (int n = 100; n < 150; n++) {
      batch.add(Message.of("" + n).withKey("key" + n % KEYS));
    }
    assertThat(orders.putAll(batch, Durability.DISK).durability()).isEqualTo(Durability.DISK);
    List<CompletableFuture<PublishResult>> futures = new ArrayList<>();
    for (int n = 150; n < 200; n++) {
      futures.add(
          orders.putAsync(List.of(Message.of("" + n).withKey("key" + n % KEYS)), Durability.DISK));
    }
    futures.forEach(CompletableFuture::join);
  }

  @ParameterizedTest
  @EnumSource(Shape.class)
  void shouldRunWhereTheFileSays(Shape shape) throws Exception {
    String topic = "engine-" + shape.name().toLowerCase(Locale.ROOT);
    broker.createTopic(topic, 3);
    try (River river = River.open(file(shape, topic))) {
      publish(river.publisher("orders"));
      await().atMost(MINUTE).until(() -> SEEN.values().stream().mapToInt(List::size).sum() >= 200);
    }
    for (int key = 0; key < KEYS; key++) {
      int first = key;
      List<Integer> numbers =
          IntStream.range(0, 200).filter(n -> n % KEYS == first).boxed().toList();
      assertThat(SEEN.get("key" + key)).containsExactlyInAnyOrderElementsOf(numbers);
      if (shape != Shape.KAFKA_SHARE) { // which keeps no order
        assertThat(SEEN.get("key" + key)).containsExactlyElementsOf(numbers);
      }
    }
  }

  @Test
  void shouldGiveASequenceThatNamesTheDelivery() throws Exception {
    String topic = "engine-sequence";
    broker.createTopic(topic, 3);
    try (River river = River.open(file(Shape.KAFKA_GROUP, topic))) {
      Publisher<String> orders = river.publisher("orders");
      List<Long> sequences = new ArrayList<>();
      for (int n = 0; n < 9; n++) {
        sequences.add(orders.publish(Message.of("" + n).withKey("key" + n).withId("id" + n)));
      }
      await().atMost(MINUTE).until(() -> DELIVERIES.size() == 9);
      for (Delivery<String> each : DELIVERIES) {
        int n = Integer.parseInt(each.data());
        assertThat(each.sequence()).isEqualTo(sequences.get(n));
        assertThat(each.id()).isEqualTo("id" + n);
      }
    }
  }

  @Test
  void shouldRetryAndKeepDeadLetters() throws Exception {
    String topic = "engine-dead";
    broker.createTopic(topic, 1);
    try (River river = River.open(file(Shape.KAFKA_GROUP, topic))) {
      river.publisher("orders").publish("rejected");
      river.publisher("orders").publish("again");
      await().atMost(MINUTE).until(() -> DELIVERIES.size() == 1);
      assertThat(DELIVERIES.get(0).attempt()).isEqualTo(2);
      List<ConsumerRecord<byte[], byte[]>> dead = broker.read(topic + "-billing-dead");
      assertThat(dead).hasSize(1);
      assertThat(new String(dead.get(0).value(), StandardCharsets.UTF_8)).isEqualTo("rejected");
    }
  }

  @Test
  void shouldStoreNothingOfABatchOfWhichKafkaRefusesAMessage() throws Exception {
    String topic = "engine-large";
    broker.createTopic(topic, 1);
    try (River river = River.open(file(Shape.KAFKA_GROUP, topic))) {
      Publisher<String> orders = river.publisher("orders");
      String large = "x".repeat(2 << 20);
      assertThatThrownBy(() -> orders.publish(large))
          .isInstanceOf(MessageTooLargeException.class)
          .hasMessageContaining("max.request.size");
      assertThatThrownBy(() -> orders.publishAll(List.of("one", large)))
          .isInstanceOf(MessageTooLargeException.class);
      orders.publishAll(List.of("two", "three"));
      await().atMost(MINUTE).until(() -> DELIVERIES.size() == 2);
    }
    assertThat(DELIVERIES).extracting(Delivery::data).containsExactly("two", "three");
  }

  /** Another broker, since all other tests share theirs. */
  @Test
  void shouldSayWhenNoBrokerTakesMessagesAndContinueWhenOneDoes() throws Exception {
    try (Broker own = Broker.in(directory.resolve("broker"))) {
      own.createTopic("orders", 1);
      Path file =
          Files.writeString(
              directory.resolve("river.xml"),
              "<river>"
                  + queue(
                      "orders",
                      "kafka",
                      reactor(),
                      "kafka.bootstrap.servers",
                      own.servers(),
                      "kafka.max.block.ms",
                      "500",
                      "kafka.request.timeout.ms",
                      "1000",
                      "kafka.delivery.timeout.ms",
                      "1500",
                      "kafka.reconnect.backoff.max.ms",
                      "200")
                  + "</river>");
      try (River river = River.open(file)) {
        Publisher<String> orders = river.publisher("orders");
        orders.publish(Message.of("1").withKey("k"));
        own.kill();
        assertThatThrownBy(() -> orders.publish(Message.of("2").withKey("k")))
            .hasMessageContaining("queue orders");
        own.start();
        await()
            .atMost(MINUTE)
            .ignoreExceptions()
            .until(() -> orders.publish(Message.of("3").withKey("k")) >= 0);
        await().atMost(MINUTE).until(() -> SEEN.get("k") != null && SEEN.get("k").contains(3));
        assertThat(SEEN.get("k")).contains(1, 3);
      }
    }
  }
}
