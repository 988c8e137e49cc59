package com.wookler.river.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Kills a process in which messages expire; each of them is in the expiry queue once. */
@Tag("full")
class ExpiryKillTest {
  private static final Logger LOG = LoggerFactory.getLogger(ExpiryKillTest.class);
  private static final int ROUNDS = Math.max(3, Counts.KILLS / 3);
  private static final int SOME = 1_000;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path root;

  @Test
  void shouldHandOnEachExpiredMessageOnceAcrossKills() throws Exception {
    Random random = new Random(Counts.seed(ExpiryKillTest.class));
    Path directory = Files.createDirectory(root.resolve("queues"));
    try (MessageQueue<String> expired = ExpiryChild.expired(directory).open()) {
      expired.subscriber("reader"); // keeps its blocks
    }
    for (int round = 0; round < ROUNDS; round++) {
      Path output = root.resolve("child-" + round);
      try (ChildProcess child =
          ChildProcess.start(
              ExpiryChild.class, output, ChildProcess.Launch.PLAIN, directory.toString())) {
        Waiting.file(directory.resolve("expired/origins.json"), child);
        Waiting.alive(Duration.ofMillis(300 + random.nextInt(900)), child);
        assertThat(child.kill()).isEqualTo(ChildProcess.KILLED);
      }
    }
    try (MessageQueue<String> expired = ExpiryChild.expired(directory).open();
        MessageQueue<String> orders = ExpiryChild.source(directory).open()) {
      Subscriber<String> acking = orders.subscriber("acking");
      Subscriber<String> plain = orders.subscriber("plain");
      await()
          .atMost(Duration.ofSeconds(60))
          .until(
              () -> {
                plain.batch(SOME, Duration.ZERO);
                acking.batch(SOME, Duration.ZERO).forEach(Delivery::ack);
                return plain.stats().lag() + acking.stats().lag() == 0;
              });
      long published = orders.stats().nextSequence();
      List<Long> copies = all(expired);
      LOG.warn("{} of {} messages expired", copies.size(), published);
      assertThat(copies)
          .isNotEmpty()
          .containsExactlyInAnyOrderElementsOf(
              LongStream.range(0, published).filter(ExpiryChild::expires).boxed().toList());
    }
  }

  private static List<Long> all(MessageQueue<String> queue) {
    List<Long> all = new ArrayList<>();
    long end = queue.stats().nextSequence();
    for (long at = 0; at < end; at = all.size()) {
      List<Delivery<String>> some = queue.read(at, SOME);
      assertThat(some).as("from %s on", at).isNotEmpty();
      some.forEach(each -> all.add(Long.valueOf(each.data())));
    }
    return all;
  }
}
