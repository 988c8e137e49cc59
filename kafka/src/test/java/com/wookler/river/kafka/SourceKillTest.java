package com.wookler.river.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.Origin;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** SIGKILL of a source and of its broker, while messages are stored. */
@Tag("full")
class SourceKillTest {
  private static final Logger LOG = LoggerFactory.getLogger(SourceKillTest.class);
  private static final int KILLS = Integer.getInteger("river.kafka.kills", 3);
  private static final int MESSAGES = Integer.getInteger("river.kafka.messages", 30_000);
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final String FILLING = "x".repeat(200);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path root;

  @Test
  void shouldStoreEachMessageOnceAndInOrderAcrossKills() throws Exception {
    long seed = Long.getLong("river.crash.seed", System.nanoTime() & 0xFFFF_FFFFL);
    LOG.warn("repeat with -Driver.crash.seed={}", seed);
    SplittableRandom random = new SplittableRandom(seed);
    try (Broker broker = Broker.in(root.resolve("broker"))) {
      broker.createTopic("numbers", 3);
      produce(broker);
      int killed = 0;
      for (int kill = 0; kill < KILLS; kill++) {
        Path begun = root.resolve("begun" + kill);
        int count = (int) (MESSAGES * (kill + 1L) / (KILLS + 1)); // its part, so that each has work
        try (Child child = child(broker, count, begun)) {
          await()
              .atMost(PATIENCE)
              .failFast(() -> !child.isAlive())
              .until(() -> Files.exists(begun));
          child.awaitEnd(Duration.ofMillis(random.nextInt(100)));
          if (kill % 4 == 1) {
            broker.kill();
            broker.start();
          }
          killed += child.kill() == Child.KILLED ? 1 : 0;
        }
      }
      LOG.warn("{} of {} sources were killed before they had stored their part", killed, KILLS);
      try (Child child = child(broker, MESSAGES, root.resolve("begun"))) {
        assertThat(child.awaitEnd(PATIENCE)).isTrue();
        assertThat(child.exitValue()).isZero();
      }
      check(broker);
    }
  }

  private static void produce(Broker broker) {
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(broker.client(), new StringSerializer(), new StringSerializer())) {
      for (int n = 0; n < MESSAGES; n++) {
        String key = "key" + n % ForwarderChild.KEYS;
        var unused = producer.send(new ProducerRecord<>("numbers", key, n + " " + FILLING));
      }
    }
  }

  private Child child(Broker broker, int count, Path begun) throws Exception {
    return Child.start(
        SourceChild.class,
        root.resolve("output"),
        root.resolve("queue").toString(),
        broker.servers(),
        "numbers",
        Integer.toString(count),
        begun.toString());
  }

  private void check(Broker broker) throws Exception {
    BitSet seen = new BitSet();
    Map<String, Integer> lastOfKey = new HashMap<>();
    Map<Integer, Long> lastOfPartition = new HashMap<>();
    try (MessageQueue<String> queue =
            MessageQueue.builder("numbers", MessageConverter.utf8())
                .directory(root.resolve("queue"))
                .open();
        Admin admin = broker.admin()) {
      for (long at = 0; at < queue.stats().nextSequence(); at++) {
        Delivery<String> message = queue.read(at).orElseThrow();
        int number = Integer.parseInt(message.data().substring(0, message.data().indexOf(' ')));
        assertThat(seen.get(number)).as("%s is there twice", number).isFalse();
        seen.set(number);
        assertThat(lastOfKey.getOrDefault(message.key(), -1)).isLessThan(number);
        lastOfKey.put(message.key(), number);
        String[] place =
            new String(message.headers().get("kafka-place"), StandardCharsets.UTF_8).split("/", 3);
        lastOfPartition.put(Integer.valueOf(place[1]), Long.valueOf(place[2]));
      }
      assertThat(seen.cardinality()).isEqualTo(MESSAGES);
      var topic = admin.describeTopics(List.of("numbers")).allTopicNames().get().get("numbers");
      lastOfPartition.forEach(
          (partition, offset) ->
              assertThat(queue.lastFrom(Origin.of("kafka:" + topic.topicId() + ":" + partition)))
                  .hasValue(offset));
    }
  }
}
