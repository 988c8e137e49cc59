package com.wookler.river.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * SIGKILL of a forwarder and of its broker, while messages are forwarded. The long form ({@code
 * -Pcrash}) has 20 kills of a forwarder and 5 of the broker, and 500,000 messages.
 */
@Tag("full")
class ForwarderKillTest {
  private static final Logger LOG = LoggerFactory.getLogger(ForwarderKillTest.class);
  private static final int KILLS = Integer.getInteger("river.kafka.kills", 3);
  private static final int BROKER_KILLS = KILLS / 4; // none in the short form
  private static final int MESSAGES = Integer.getInteger("river.kafka.messages", 30_000);
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path root;

  @Test
  void shouldForwardEachMessageOnceAndInOrderAcrossKills() throws Exception {
    long seed = Long.getLong("river.crash.seed", System.nanoTime() & 0xFFFF_FFFFL);
    LOG.warn("repeat with -Driver.crash.seed={}", seed);
    SplittableRandom random = new SplittableRandom(seed);
    try (Broker broker = Broker.in(root.resolve("broker"))) {
      broker.createTopic("numbers", 3);
      int killed = 0;
      for (int kill = 0; kill < KILLS; kill++) {
        Path begun = root.resolve("begun" + kill);
        int count = (int) (MESSAGES * (kill + 1L) / (KILLS + 1)); // its part, so that each has work
        try (Child child = child(broker, count, begun)) {
          await()
              .atMost(PATIENCE)
              .failFast(() -> !child.isAlive())
              .until(() -> Files.exists(begun));
          child.awaitEnd(Duration.ofMillis(random.nextInt(300)));
          if (BROKER_KILLS > 0 && kill % (KILLS / BROKER_KILLS) == 1) {
            broker.kill();
            child.awaitEnd(Duration.ofMillis(random.nextInt(200)));
            broker.start();
          }
          killed += child.kill() == Child.KILLED ? 1 : 0;
        }
      }
      LOG.warn("{} of {} forwarders were killed before they had forwarded all", killed, KILLS);
      try (Child child = child(broker, MESSAGES, root.resolve("begun"))) {
        assertThat(child.awaitEnd(PATIENCE)).isTrue();
        assertThat(child.exitValue()).isZero();
      }
      check(broker);
    }
  }

  private Child child(Broker broker, int count, Path begun) throws Exception {
    return Child.start(
        ForwarderChild.class,
        root.resolve("output"),
        root.resolve("queue").toString(),
        broker.servers(),
        "numbers",
        Integer.toString(count),
        begun.toString());
  }

  private static void check(Broker broker) {
    BitSet seen = new BitSet();
    Map<String, Integer> lastOfKey = new HashMap<>();
    Map<String, Integer> partitionOfKey = new HashMap<>();
    for (ConsumerRecord<byte[], byte[]> record : broker.read("numbers")) {
      String text = new String(record.value(), StandardCharsets.UTF_8);
      int number = Integer.parseInt(text.substring(0, text.indexOf(' ')));
      String key = new String(record.key(), StandardCharsets.UTF_8);
      assertThat(seen.get(number)).as("%s is there twice", number).isFalse();
      seen.set(number);
      assertThat(lastOfKey.getOrDefault(key, -1)).as("before %s", number).isLessThan(number);
      lastOfKey.put(key, number);
      assertThat(partitionOfKey.putIfAbsent(key, record.partition()))
          .isIn(null, record.partition());
    }
    assertThat(seen.cardinality()).isEqualTo(MESSAGES);
    assertThat(Map.copyOf(partitionOfKey).values()).containsOnly(0, 1, 2);
  }
}
