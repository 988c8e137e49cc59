package com.wookler.river.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.DeadLetters;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.testing.CapturedLog;
import com.wookler.river.testing.DirectoryCopy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.event.Level;

/** A forwarder and a real broker, which runs for all tests here. */
@Tag("full")
@Timeout(120)
class KafkaForwarderTest {
  private final Broker broker = Broker.shared();

  @TempDir Path directory;

  private final Set<Integer> attempts = ConcurrentHashMap.newKeySet();
  private String topic;

  @BeforeEach
  void name(TestInfo test) {
    String shown = test.getTestMethod().orElseThrow().getName() + test.getDisplayName();
    topic = "topic-" + Integer.toHexString(shown.hashCode());
  }

  private MessageQueue<String> queue(Path in) {
    return MessageQueue.builder("orders", MessageConverter.utf8()).directory(in).open();
  }

  private KafkaForwarder.Builder<String> forwarder(MessageQueue<String> queue) {
    return KafkaForwarder.builder(queue, broker.client())
        .subscriber("to-kafka")
        .topic(topic)
        .pause(Duration.ofMillis(100));
  }

  /** Chooses the topic, and notes which attempt a message is sent in. */
  private String noted(Delivery<String> delivery) {
    attempts.add(delivery.attempt());
    return topic;
  }

  private static void publish(MessageQueue<String> queue, int from, int to) {
    queue.publisher().publishAll(IntStream.range(from, to).mapToObj(n -> "m" + n).toList());
  }

  static void awaitPosition(KafkaForwarder<?> forwarder, long position) {
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> forwarder.position() >= position && forwarder.stats().lag() == 0);
  }

  /** Closes a queue that is closed again when its test ends. */
  static void closeNow(MessageQueue<?> queue) {
    queue.close();
  }

  private static List<String> texts(List<ConsumerRecord<byte[], byte[]>> records) {
    return records.stream().map(each -> text(each.value())).toList();
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static String reason(Delivery<?> letter) {
    return text(letter.headers().get(DeadLetters.REASON));
  }

  private static List<String> numbers(int from, int to) {
    return IntStream.range(from, to).mapToObj(n -> "m" + n).toList();
  }

  @ParameterizedTest
  @EnumSource(Guarantee.class)
  void shouldSendDataKeyHeadersIdAndTime(Guarantee guarantee) throws Exception {
    broker.createTopic(topic, 1);
    try (MessageQueue<String> queue = queue(directory)) {
      queue
          .publisher()
          .publish(
              Message.of("data")
                  .withKey("schlüssel")
                  .withId("id-1")
                  .withHeader("trace", new byte[] {1, 0, -1}));
      queue.publisher().publish("second");
      try (KafkaForwarder<String> forwarder = forwarder(queue).guarantee(guarantee).start()) {
        awaitPosition(forwarder, 2);
        assertThat(forwarder.isAway()).isFalse();
        assertThat(forwarder.stats().sent()).isEqualTo(2);
      }
      List<ConsumerRecord<byte[], byte[]>> records = broker.read(topic);
      assertThat(texts(records)).containsExactly("data", "second");
      ConsumerRecord<byte[], byte[]> first = records.get(0);
      assertThat(text(first.key())).isEqualTo("schlüssel");
      assertThat(first.timestamp())
          .isEqualTo(queue.read(0).orElseThrow().publishedAt().toEpochMilli());
      assertThat(Arrays.stream(first.headers().toArray()).map(Header::key))
          .containsExactlyInAnyOrder("trace", "river-queue", "river-sequence", "river-id");
      assertThat(first.headers().lastHeader("trace").value()).containsExactly(1, 0, -1);
      assertThat(text(first.headers().lastHeader("river-id").value())).isEqualTo("id-1");
      assertThat(text(first.headers().lastHeader("river-queue").value()))
          .contains("orders")
          .contains(queue.identity().toString());
      ConsumerRecord<byte[], byte[]> second = records.get(1);
      assertThat(second.key()).isNull();
      assertThat(ByteBuffer.wrap(second.headers().lastHeader("river-sequence").value()).getLong())
          .isEqualTo(1);
    }
  }

  @Test
  void shouldNotSendAgainWhatTheTopicHas() throws Exception {
    broker.createTopic(topic, 1);
    try (MessageQueue<String> queue = queue(directory)) {
      publish(queue, 0, 500);
      try (KafkaForwarder<String> forwarder = forwarder(queue).start()) {
        awaitPosition(forwarder, 500);
      }
      // As if the acknowledgements were lost.
      queue.subscriber("to-kafka").seek(Position.sequence(100));
      publish(queue, 500, 510);
      try (KafkaForwarder<String> forwarder = forwarder(queue).start()) {
        awaitPosition(forwarder, 510);
        assertThat(forwarder.stats().skipped()).isEqualTo(400);
        assertThat(forwarder.stats().sent()).isEqualTo(10);
      }
    }
    assertThat(texts(broker.read(topic))).containsExactlyElementsOf(numbers(0, 510));
  }

  @Test
  void shouldBeginAtTheLowWatermarkWhereTheGroupWasDeleted() throws Exception {
    broker.createTopic(topic, 1);
    try (MessageQueue<String> queue = queue(directory);
        CapturedLog log = new CapturedLog(ExactlyOnceSession.class.getName(), Level.INFO)) {
      publish(queue, 0, 100);
      try (KafkaForwarder<String> forwarder = forwarder(queue).start()) {
        awaitPosition(forwarder, 100);
      }
      String group = "river-" + queue.identity() + "-to-kafka";
      broker.deleteGroup(group);
      publish(queue, 100, 150);
      try (KafkaForwarder<String> forwarder = forwarder(queue).start()) {
        awaitPosition(forwarder, 150);
      }
      assertThat(log.lines()).anyMatch(line -> line.contains(group) && line.contains("100"));
    }
    assertThat(texts(broker.read(topic))).containsExactlyElementsOf(numbers(0, 150));
  }

  @Test
  void shouldRefuseAQueueThatIsOlderThanThePosition() throws Exception {
    broker.createTopic(topic, 1);
    Path data = directory.resolve("data");
    Path copy = directory.resolve("copy");
    try (MessageQueue<String> queue = queue(data)) {
      publish(queue, 0, 10);
    }
    DirectoryCopy.of(data, copy);
    try (MessageQueue<String> queue = queue(data);
        KafkaForwarder<String> forwarder = forwarder(queue).start()) {
      publish(queue, 10, 20);
      awaitPosition(forwarder, 20);
      try (MessageQueue<String> older = queue(copy)) {
        requireRefused(older, "older than Kafka's position");
      }
      publish(queue, 20, 30);
      awaitPosition(forwarder, 30);
      assertThat(forwarder.stats().failures()).isZero();
    }
    assertThat(texts(broker.read(topic))).containsExactlyElementsOf(numbers(0, 30));
  }

  private void requireRefused(MessageQueue<String> copy, String why) {
    try (CapturedLog log = new CapturedLog(ForwardLoop.class);
        KafkaForwarder<String> forwarder = forwarder(copy).start()) {
      await().atMost(Duration.ofMinutes(1)).until(() -> forwarder.stats().stopped());
      assertThat(forwarder.stats().failure()).contains(why);
      assertThat(forwarder.isAway()).isTrue();
      assertThat(log.warnings()).hasSize(1);
    }
  }

  @Test
  void shouldRefuseACopyThatWasPublishedToSince() throws Exception {
    broker.createTopic(topic, 1);
    Path data = directory.resolve("data");
    Path copy = directory.resolve("copy");
    try (MessageQueue<String> queue = queue(data)) {
      publish(queue, 0, 10);
    }
    DirectoryCopy.of(data, copy);
    try (MessageQueue<String> queue = queue(data);
        KafkaForwarder<String> forwarder = forwarder(queue).start()) {
      publish(queue, 10, 20);
      awaitPosition(forwarder, 20);
      try (MessageQueue<String> other = queue(copy)) {
        publish(other, 1_000, 1_020);
        requireRefused(other, "Kafka has another message 19");
      }
      publish(queue, 20, 30);
      awaitPosition(forwarder, 30);
      assertThat(forwarder.stats().failures()).isZero();
    }
    assertThat(texts(broker.read(topic))).containsExactlyElementsOf(numbers(0, 30));
  }

  @Test
  void shouldEndWhenItsQueueIsClosedWhileNoBrokerAnswers() {
    Map<String, Object> nobody = Map.of("bootstrap.servers", "127.0.0.1:1");
    try (MessageQueue<String> queue = queue(directory);
        KafkaForwarder<String> forwarder =
            KafkaForwarder.builder(queue, nobody).pause(Duration.ofMillis(100)).start();
        KafkaSource<String> source =
            KafkaSource.builder(queue, nobody)
                .topics(topic)
                .pause(Duration.ofMillis(100))
                .start()) {
      await().until(() -> forwarder.isAway() && source.isAway());
      closeNow(queue);
      await().until(() -> forwarder.stats().stopped() && source.stats().stopped());
    }
  }

  @Test
  void shouldNotShutOutTheOneThatHasTakenOver() throws Exception {
    broker.createTopic(topic, 1);
    ManualTimeSource time = new ManualTimeSource(Instant.EPOCH);
    Owner earlier = new Owner("earlier");
    Owner later = new Owner("later");
    ForwardProperties properties =
        ForwardProperties.of(broker.client(), Guarantee.EXACTLY_ONCE, topic);
    try (MessageQueue<String> queue = queue(directory)) {
      Function<Owner, ForwardSession> sessions =
          owner -> new ExactlyOnceSession(queue, properties, topic, owner, time);
      try (ForwardSession session = sessions.apply(earlier)) {
        session.open(0);
      }
      try (ForwardSession session = sessions.apply(later);
          ForwardSession again = sessions.apply(earlier)) {
        session.open(0);
        assertThatThrownBy(() -> again.open(0))
            .isInstanceOf(TakenOverException.class)
            .hasMessageContaining("later");
        time.advance(Duration.ofDays(1));
        session.idle(0); // commits, as one that was shut out could not
      }
    }
  }

  @Test
  void shouldEndTheEarlierOfTwoCopiesAndNameTheOther() throws Exception {
    broker.createTopic(topic, 1);
    Path data = directory.resolve("data");
    Path copy = directory.resolve("copy");
    try (MessageQueue<String> queue = queue(data)) {
      publish(queue, 0, 2_000);
    }
    DirectoryCopy.of(data, copy);
    try (MessageQueue<String> one = queue(data);
        MessageQueue<String> other = queue(copy);
        KafkaForwarder<String> first = forwarder(one).batchMessages(50).start();
        KafkaForwarder<String> second = forwarder(other).batchMessages(50).start()) {
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> first.stats().stopped() != second.stats().stopped());
      KafkaForwarder<String> stopped = first.stats().stopped() ? first : second;
      KafkaForwarder<String> left = first.stats().stopped() ? second : first;
      assertThat(stopped.isAway()).isTrue();
      assertThat(stopped.stats().failure())
          .contains("another forwarder of queue orders has taken over")
          .contains("process " + ProcessHandle.current().pid());
      awaitPosition(left, 2_000);
    }
    assertThat(texts(broker.read(topic))).containsExactlyElementsOf(numbers(0, 2_000));
  }

  /** A broker refuses a record, all that came with it fail, and what was sent after it waits. */
  @ParameterizedTest
  @EnumSource(Guarantee.class)
  void shouldKeepTheOrderOfAKeyAroundWhatABrokerRefuses(Guarantee guarantee) throws Exception {
    broker.createTopic(topic, 1, Map.of("cleanup.policy", "compact")); // refuses what has no key
    Map<String, Object> properties = broker.client();
    properties.put("batch.size", 1_000); // many requests
    properties.put("linger.ms", 0);
    List<String> keyed = new ArrayList<>();
    try (MessageQueue<String> queue = queue(directory)) {
      for (int n = 0; n < 4_000; n++) {
        Message<String> message = Message.of("m" + n);
        if (n % 777 == 700) {
          queue.publisher().publish(message);
        } else {
          queue.publisher().publish(message.withKey("k"));
          keyed.add("m" + n);
        }
      }
      try (KafkaForwarder<String> forwarder =
          KafkaForwarder.builder(queue, properties)
              .topic(topic)
              .guarantee(guarantee)
              .pause(Duration.ofMillis(100))
              .start()) {
        awaitPosition(forwarder, 4_000);
        assertThat(forwarder.stats().rejected()).isEqualTo(5);
        assertThat(forwarder.stats().failures()).isZero();
      }
    }
    assertThat(texts(broker.read(topic))).containsExactlyElementsOf(keyed);
  }

  @ParameterizedTest
  @EnumSource(Guarantee.class)
  void shouldMakeWhatKafkaRefusesADeadLetter(Guarantee guarantee) throws Exception {
    broker.createTopic(topic, 1);
    try (MessageQueue<String> queue = queue(directory)) {
      publish(queue, 0, 5_000);
      queue.publisher().publish("x".repeat(2 << 20));
      publish(queue, 5_000, 10_000);
      try (KafkaForwarder<String> forwarder = forwarder(queue).guarantee(guarantee).start()) {
        awaitPosition(forwarder, 10_001);
        assertThat(forwarder.stats().rejected()).isEqualTo(1);
        assertThat(forwarder.stats().failures()).isZero();
      }
      Subscriber<String> subscriber = queue.subscriber("to-kafka");
      assertThat(subscriber.deadLetters().size()).isEqualTo(1);
      assertThat(reason(subscriber.deadLetters().peek(1).get(0))).contains("RecordTooLarge");
    }
    assertThat(texts(broker.read(topic))).containsExactlyElementsOf(numbers(0, 10_000));
  }

  @Test
  void shouldChooseTheTopicOfEachMessage() throws Exception {
    broker.createTopic(topic, 1);
    broker.createTopic(topic + "-b", 1);
    try (MessageQueue<String> queue = queue(directory)) {
      queue.publisher().publishAll(List.of("a1", "b1", "none", "fails", "a2", "b2", "bad name"));
      try (KafkaForwarder<String> forwarder =
          forwarder(queue)
              .topic(
                  delivery ->
                      switch (delivery.data().charAt(0)) {
                        case 'a' -> topic;
                        case 'b' -> delivery.data().length() == 2 ? topic + "-b" : "no such/name";
                        case 'n' -> null;
                        default -> throw new IllegalArgumentException("it fails");
                      },
                  topic)
              .start()) {
        awaitPosition(forwarder, 7);
        assertThat(forwarder.stats().rejected()).isEqualTo(3);
      }
      assertThat(queue.subscriber("to-kafka").deadLetters().peek(10))
          .extracting(KafkaForwarderTest::reason)
          .satisfiesExactly(
              reason -> assertThat(reason).contains("no name"),
              reason -> assertThat(reason).contains("it fails"),
              reason -> assertThat(reason).contains("InvalidTopic"));
    }
    assertThat(texts(broker.read(topic))).containsExactly("a1", "a2");
    assertThat(texts(broker.read(topic + "-b"))).containsExactly("b1", "b2");
  }

  @Test
  void shouldWaitForATopicThatIsMissing() throws Exception {
    try (MessageQueue<String> queue = queue(directory)) {
      publish(queue, 0, 10);
      Map<String, Object> properties = broker.client();
      properties.put("max.block.ms", 1_000);
      try (KafkaForwarder<String> forwarder =
          KafkaForwarder.builder(queue, properties)
              .topic(topic)
              .pause(Duration.ofMillis(100))
              .start()) {
        await().atMost(Duration.ofMinutes(1)).until(forwarder::isAway);
        assertThat(forwarder.stats().failure()).contains(topic);
        assertThat(forwarder.awaySince()).isNotNull();
        broker.createTopic(topic, 1);
        awaitPosition(forwarder, 10);
        assertThat(forwarder.isAway()).isFalse();
        assertThat(forwarder.awaySince()).isNull();
      }
    }
    assertThat(texts(broker.read(topic))).containsExactlyElementsOf(numbers(0, 10));
  }

  @ParameterizedTest
  @EnumSource(Guarantee.class)
  void shouldWaitWhileItMayNotWrite(Guarantee guarantee) throws Exception {
    broker.createTopic(topic, 1);
    AclBinding denied =
        new AclBinding(
            new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL),
            new AccessControlEntry(
                "User:ANONYMOUS", "*", AclOperation.WRITE, AclPermissionType.DENY));
    AclBinding others =
        new AclBinding(
            new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL),
            new AccessControlEntry("User:*", "*", AclOperation.ALL, AclPermissionType.ALLOW));
    try (MessageQueue<String> queue = queue(directory);
        Admin admin = broker.admin()) {
      admin.createAcls(List.of(others, denied)).all().get();
      publish(queue, 0, 10);
      try (KafkaForwarder<String> forwarder =
          forwarder(queue).guarantee(guarantee).topic(this::noted, topic).start()) {
        await().atMost(Duration.ofMinutes(1)).until(forwarder::isAway);
        assertThat(forwarder.stats().failure()).contains("TopicAuthorizationException");
        assertThat(forwarder.stats().rejected()).isZero();
        admin.deleteAcls(List.of(denied.toFilter())).all().get();
        awaitPosition(forwarder, 10);
      }
      assertThat(attempts).containsOnly(1);
    }
    assertThat(texts(broker.read(topic))).containsExactlyElementsOf(numbers(0, 10));
  }

  @Test
  void shouldSendEachOnceWhenPartitionsAreAdded() throws Exception {
    broker.createTopic(topic, 1);
    try (MessageQueue<String> queue = queue(directory);
        KafkaForwarder<String> forwarder = forwarder(queue).batchMessages(100).start()) {
      for (int n = 0; n < 1_000; n++) {
        queue.publisher().publish(Message.of("m" + n).withKey("k" + n));
        if (n == 500) {
          broker.addPartitions(topic, 4);
        }
      }
      awaitPosition(forwarder, 1_000);
    }
    List<String> found = texts(broker.read(topic));
    assertThat(found).hasSize(1_000);
    assertThat(new HashSet<>(found)).hasSize(1_000);
  }

  @Test
  void shouldPublishOnWhileTheBrokerIsAway() throws Exception {
    try (Broker own = Broker.in(directory.resolve("broker"));
        MessageQueue<String> queue = queue(directory.resolve("queue"));
        CapturedLog log = new CapturedLog(ForwardLoop.class)) {
      own.createTopic(topic, 1);
      Map<String, Object> impatient = own.client();
      impatient.put("request.timeout.ms", 1_000);
      impatient.put("delivery.timeout.ms", 2_000);
      impatient.put("max.block.ms", 2_000);
      try (KafkaForwarder<String> forwarder =
          KafkaForwarder.builder(queue, impatient)
              .topic(this::noted, topic)
              .pause(Duration.ofMillis(100))
              .start()) {
        publish(queue, 0, 1_000);
        awaitPosition(forwarder, 1_000);
        own.kill();
        publish(queue, 1_000, 2_000);
        await().atMost(Duration.ofMinutes(1)).until(forwarder::isAway);
        long failures = forwarder.stats().failures();
        await().until(() -> forwarder.stats().failures() > failures + 5);
        publish(queue, 2_000, 3_000);
        assertThat(log.warnings()).hasSize(1);
        assertThat(forwarder.stats().lag()).isEqualTo(2_000);
        own.start();
        awaitPosition(forwarder, 3_000);
        assertThat(forwarder.isAway()).isFalse();
      }
      assertThat(attempts).containsOnly(1);
      assertThat(texts(own.read(topic))).containsExactlyElementsOf(numbers(0, 3_000));
    }
  }
}
