package com.wookler.river.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.Publisher;
import com.wookler.river.core.River;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.reactor.Processor;
import com.wookler.river.testing.Generated;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A queue whose engine is Kafka, without a broker: what its file may say. */
@Timeout(120)
class KafkaEngineXmlTest {
  private static final String PROCESSOR =
      "<processor name=\"none\" class=\"" + Nothing.class.getName() + "\"/>";

  @TempDir Path directory;

  /** As a file names it. */
  public static final class Nothing implements Processor<String> {
    /** For the file. */
    public Nothing() {}

    @Override
    public ProcessResult<String> process(Delivery<String> delivery) {
      return ProcessResult.ack();
    }
  }

  private static String params(String... params) {
    StringBuilder text = new StringBuilder("<params>");
    for (int i = 0; i < params.length; i += 2) {
      text.append("\n<param name=\"" + params[i] + "\" value=\"" + params[i + 1] + "\"/>");
    }
    return text + "\n</params>";
  }

  private Path file(String more, String... params) throws IOException {
    List<String> all =
        new ArrayList<>(
            List.of("queue.message.converter", "utf8", "kafka.bootstrap.servers", closedPort()));
    all.addAll(List.of(params));
    return Files.writeString(
        directory.resolve("river.xml"),
        "<river><queue name=\"orders\" engine=\"kafka\">\n"
            + params(all.toArray(new String[0]))
            + more
            + "\n</queue></river>");
  }

  private static String closedPort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return "127.0.0.1:" + socket.getLocalPort();
    }
  }

  private static String subscriber(String elements, String... params) {
    return "<subscribers><subscriber name=\"billing\">"
        + params(params)
        + elements
        + "</subscriber></subscribers>";
  }

  private void refuses(Path file, String... why) {
    assertThatThrownBy(() -> River.open(file).close())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("river.xml:")
        .hasMessageContainingAll(why);
  }

  @ParameterizedTest
  @CsvSource({
    "queue.durability, MEMORY, acks=all",
    "queue.directory, /tmp, leave it out",
    "queue.deduplicate, 1mm, <kafka-forward>",
    "queue.compact, true, cleanup.policy=compact",
    "queue.max.bytes, 1GB, retention.bytes",
    "queue.max.message.bytes, 1MB, max.message.bytes",
    "queue.max.age, 1dd, retention.ms",
    "queue.retention.age, 1dd, retention.ms",
    "queue.full.policy, BLOCK, kafka.max.block.ms",
    "queue.expiry.queue, old, <kafka-forward>"
  })
  void shouldRefuseWhatTopicsCannotDoAndSayWhatCan(String option, String value, String instead)
      throws IOException {
    refuses(file("", option, value), option, "engine=\"kafka\"", instead);
  }

  @ParameterizedTest
  @CsvSource({
    "subscriber.filter.expression, size(key) > 1, <filter>",
    "subscriber.ack.required, false, leave it out",
    "subscriber.ack.timeout, 1mm, kafka.max.poll.interval.ms",
    "subscriber.order, STRICT, KEY",
    "subscriber.start, 17, earliest and latest",
    "subscriber.window, 1000, executor.batch.size",
    "subscriber.dead.queue, letters, engine.dead.topic",
    "subscriber.max.rate, 10, <kafka-forward>",
    "subscriber.exclusive, true, <kafka-forward>"
  })
  void shouldRefuseWhatGroupsCannotDoAndSayWhatCan(String option, String value, String instead)
      throws IOException {
    // An expression stands for the filter.
    String named = option.replace(".expression", "");
    refuses(file(subscriber(PROCESSOR, option, value)), named, "engine=\"kafka\"", instead);
  }

  @Test
  void shouldSayWhatIsWrong() throws IOException {
    refuses(file("", "queue.directry", "x"), "queue.directry", "is unknown");
    refuses(file("", "engine.topc", "x"), "engine.topc", "is unknown");
    refuses(file("", "kafka.acks", "1"), "acks");
    refuses(file("", "kafka.transactional.id", "mine"), "transactional.id");
    refuses(file("", "kafka.linger.ms", "x"), "linger.ms");
    refuses(file("", "kafka.auto.offset.reset", "earliest"), "subscriber.start");
    refuses(
        file(subscriber(PROCESSOR, "kafka.auto.offset.reset", "earliest")),
        "kafka.auto.offset.reset",
        "subscriber.start");
    refuses(
        file(
            subscriber(
                PROCESSOR, "engine.consumers", "SHARE", "kafka.share.auto.offset.reset", "latest")),
        "subscriber.start");
    refuses(
        file(subscriber(PROCESSOR, "kafka.linger.ms", "5")),
        "kafka.linger.ms",
        "give it to the queue");
    refuses(
        file(
            "",
            "kafka.security.protocol",
            "SASL_PLAINTEXT",
            "kafka.sasl.mechanism",
            "PLAIN",
            "kafka.sasl.jaas.config",
            "no module"),
        "Kafka's producer cannot be made",
        "JAAS");
    refuses(file("<backup><params></params></backup>"), "<backup>", "leave it out");
    refuses(file("<recycle class=\"x\"/>"), "<recycle");
    refuses(file(subscriber("")), "has no <processor>", "billing");
    refuses(file(subscriber(PROCESSOR, "engine.consumers", "BOTH")), "engine.consumers");
    refuses(
        file(subscriber(PROCESSOR, "engine.consumers", "SHARE", "subscriber.order", "KEY")),
        "subscriber.order",
        "GROUP");
    refuses(
        file(subscriber(PROCESSOR, "engine.consumers", "SHARE", "subscriber.max.deliveries", "20")),
        "maxDeliveries 20");
    refuses(
        file(
            subscriber(
                "<executor>" + params("executor.order", "KEY") + "</executor>" + PROCESSOR,
                "engine.consumers",
                "SHARE")),
        "KEY",
        "engine.consumers=GROUP");
    refuses(
        Files.writeString(
            directory.resolve("river.xml"),
            "<river><queue name=\"orders\" engine=\"kafka\">"
                + params("queue.message.converter", "utf8")
                + "</queue></river>"),
        "kafka.bootstrap.servers");
  }

  @Test
  void shouldStartWithoutABrokerAndSayThatNothingIsStored() throws IOException {
    Publisher<String> publisher;
    try (River river =
        River.open(
            file(
                subscriber(
                    PROCESSOR,
                    "subscriber.ack.required",
                    "true",
                    "subscriber.backoff",
                    "fixed 1ss",
                    "kafka.max.poll.interval.ms",
                    "10000"),
                "queue.durability",
                "DISK",
                "kafka.linger.ms",
                "1",
                "kafka.max.block.ms",
                "50"))) {
      publisher = river.publisher("orders");
      assertThatThrownBy(() -> publisher.publish("one"))
          .isInstanceOf(QueueFullException.class) // processors hold messages back
          .hasMessageContaining("queue orders")
          .hasMessageContaining("nothing was stored");
      assertThatThrownBy(() -> publisher.publishAll(List.of("one", "two")))
          .isInstanceOf(QueueFullException.class)
          .hasMessageContaining("nothing was stored");
      assertThatThrownBy(() -> river.queue("orders"))
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("River.publisher");
    }
    assertThatThrownBy(() -> publisher.publish("late")).isInstanceOf(QueueClosedException.class);
  }

  /** Of producers, as Kafka names it in their properties. */
  public static final class Seen implements ProducerInterceptor<byte[], byte[]> {
    /** For Kafka. */
    public Seen() {}

    @Override
    public ProducerRecord<byte[], byte[]> onSend(ProducerRecord<byte[], byte[]> record) {
      return record;
    }

    @Override
    public void onAcknowledgement(RecordMetadata metadata, Exception exception) {}

    @Override
    public void close() {}

    @Override
    public void configure(Map<String, ?> configs) {}
  }

  @Test
  void shouldKeepInterceptorsOfTheQueueToItsProducer() throws IOException {
    try (River river =
        River.open(
            file(subscriber(PROCESSOR), "kafka.interceptor.classes", Seen.class.getName()))) {
      assertThat(river.publisher("orders").window()).isZero();
    }
  }

  @Test
  void shouldNotShowSecrets() {
    Map<String, Object> secret =
        Map.of("bootstrap.servers", "127.0.0.1:1", "sasl.jaas.config", "x-secret");
    assertThat(KafkaGroup.source(secret, "orders", "billing", MessageConverter.utf8()).toString())
        .contains("orders", "billing")
        .doesNotContain("x-secret");
    assertThat(KafkaShare.source(secret, "orders", "billing", MessageConverter.utf8()).toString())
        .contains("orders", "billing")
        .doesNotContain("x-secret");
    assertThat(ForwardProperties.of(secret, Guarantee.EXACTLY_ONCE, "id").toString())
        .doesNotContain("x-secret");
    assertThat(SourceProperties.of(secret, "group").toString()).doesNotContain("x-secret");
  }

  @Test
  void shouldRefuseMessagesWithWhatATopicCannotKeep() throws IOException {
    try (River river = River.open(file("", "kafka.max.block.ms", "50"))) {
      Publisher<String> publisher = river.publisher("orders");
      Message<String> message = Message.of("one");
      refuses(publisher, message.deliverAfter(Duration.ofSeconds(1)), "a delay (deliverAfter)");
      refuses(publisher, message.deliverAt(Instant.EPOCH), "a delay (deliverAfter)");
      refuses(publisher, message.expiresAfter(Duration.ofSeconds(1)), "an expiry (expiresAfter)");
      assertThatThrownBy(() -> publisher.publishAll(List.of()))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(publisher.window()).isZero();
    }
  }

  private static void refuses(Publisher<String> publisher, Message<String> message, String why) {
    assertThatThrownBy(() -> publisher.publish(message))
        .isExactlyInstanceOf(RiverException.class)
        .hasMessageContainingAll(why, "<kafka-forward>");
  }

  @Test
  void shouldHaveTheRowsOfTheCode() throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add("");
    lines.add("| element | XML name | Java | default | unit | allowed | changes | meaning |");
    lines.add("|---|---|---|---|---|---|---|---|");
    EngineOptions.TABLE.rows().forEach(option -> lines.add(option.documented()));
    lines.add("");
    Generated.hold(
        Path.of("..", "docs", "configuration.md"),
        "[scaling.md](scaling.md#the-switch).",
        "## Accepted without effect",
        lines);
  }

  @Test
  void shouldOfferEveryParameterToEditors() throws IOException {
    hold("kafkaQueueParam", EngineOptions.QUEUE);
    hold("kafkaSubscriberParam", EngineOptions.SUBSCRIBER);
  }

  private static void hold(String type, String element) throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add("    <xs:restriction base=\"xs:string\">");
    for (String name : EngineOptions.TABLE.names(element)) {
      lines.add("      <xs:enumeration value=\"" + name + "\"/>");
    }
    Generated.hold(
        Path.of("../common/src/main/resources/com/wookler/river/common/config/river.xsd"),
        "<xs:simpleType name=\"" + type + "\">",
        "</xs:restriction>",
        lines);
  }
}
