package com.wookler.river.crash;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.subscriber.Delivery;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** SIGKILL while messages are acknowledged with what continues them. */
@Tag("full")
class ContinueKillTest {
  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path root;

  @Test
  void shouldContinueEachMessageOnceAcrossKills() throws Exception {
    SplittableRandom random = new SplittableRandom(Counts.seed(ContinueKillTest.class));
    Path data = Files.createDirectory(root.resolve("data"));
    int kills = Math.max(3, Counts.KILLS / 3);
    for (int round = 0; round < kills; round++) {
      try (ChildProcess child = start(data, round, "run")) {
        Waiting.file(root.resolve("begun" + round), child);
        Waiting.alive(Duration.ofMillis(random.nextInt(150)), child);
        assertThat(child.kill()).isEqualTo(ChildProcess.KILLED);
      }
    }
    try (ChildProcess child = start(data, kills, "finish")) {
      assertThat(child.awaitEnd(Duration.ofSeconds(60))).as(child.output()).isTrue();
      assertThat(child.exitValue()).as(child.output()).isZero();
    }
    long published;
    try (MessageQueue<String> orders = ContinueChild.orders(data)) {
      published = orders.stats().nextSequence();
      assertThat(ContinueChild.packing(orders).stats().lag()).isZero();
    }
    TreeSet<String> expected = new TreeSet<>();
    for (long i = 0; i < published; i++) {
      expected.add("m" + i + ".1");
      expected.add("m" + i + ".2");
    }
    try (MessageQueue<String> parcels = ContinueChild.parcels(data)) {
      List<String> stored =
          parcels.read(0, Integer.MAX_VALUE).stream().map(Delivery::data).toList();
      assertThat(stored).hasSize((int) (2 * published)).isNotEmpty().doesNotHaveDuplicates();
      assertThat(new TreeSet<>(stored)).isEqualTo(expected);
    }
  }

  private ChildProcess start(Path data, int round, String how) throws Exception {
    return ChildProcess.start(
        ContinueChild.class,
        root.resolve("output" + round),
        ChildProcess.Launch.PLAIN,
        data.toString(),
        root.resolve("begun" + round).toString(),
        how);
  }
}
