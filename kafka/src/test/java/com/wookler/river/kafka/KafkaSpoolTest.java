package com.wookler.river.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.examples.recipes.KafkaSpool;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the class to copy that is in examples, with a broker that goes away and returns. */
@Tag("full")
@Timeout(240)
class KafkaSpoolTest {
  private static final Duration PAUSE = Duration.ofMillis(100);

  @TempDir Path directory;

  private KafkaSpool open(Broker broker) {
    return new KafkaSpool(directory.resolve("spool"), broker.servers(), "events", PAUSE);
  }

  private static void awaitSent(KafkaSpool spool) {
    await().atMost(Duration.ofMinutes(1)).until(() -> spool.stats().lag() == 0);
  }

  @Test
  void shouldKeepEventsWhileNoBrokerIsThere() throws Exception {
    try (Broker broker = Broker.in(directory.resolve("broker"))) {
      broker.createTopic("events", 1);
      try (KafkaSpool spool = open(broker)) {
        spool.send("a", "1");
        awaitSent(spool);
        broker.kill();
        spool.send("a", "2");
      }
      try (KafkaSpool spool = open(broker)) { // after a restart, still without a broker
        spool.send("a", "3");
        await().until(() -> spool.stats().awaySince() != null);
        assertThat(spool.stats().lag()).isEqualTo(2);
        broker.start();
        awaitSent(spool);
      }
      assertThat(broker.read("events"))
          .extracting(record -> new String(record.value(), StandardCharsets.UTF_8))
          .containsExactly("1", "2", "3");
    }
  }
}
