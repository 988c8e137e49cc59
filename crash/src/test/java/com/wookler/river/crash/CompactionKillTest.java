package com.wookler.river.crash;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.subscriber.Delivery;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Kills a process that compacts: the last message of each key stays, and no key comes back. */
@Tag("full")
class CompactionKillTest {
  private static final Logger LOG = LoggerFactory.getLogger(CompactionKillTest.class);
  private static final int ROUNDS = Math.max(12, Counts.KILLS / 2);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path root;

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldKeepTheLastOfEachKeyAcrossKills(boolean backup) throws Exception {
    Random random = new Random(Counts.seed(CompactionKillTest.class));
    Path directory = Files.createDirectory(root.resolve("queues"));
    Path done = Files.createFile(root.resolve("done"));
    long next = 0;
    for (int round = 0; round < ROUNDS; round++) {
      Path output = root.resolve("child-" + round);
      long before = Files.size(done);
      try (ChildProcess child =
          ChildProcess.start(
              CompactionChild.class,
              output,
              ChildProcess.Launch.PLAIN,
              directory.toString(),
              done.toString(),
              String.valueOf(next),
              String.valueOf(backup))) {
        Waiting.until(Duration.ofMinutes(1), () -> Files.size(done) > before || !child.isAlive());
        Waiting.alive(Duration.ofMillis(100 + random.nextInt(1_000)), child);
        assertThat(child.kill()).isEqualTo(ChildProcess.KILLED);
      }
      List<String> returned = Files.readAllLines(done);
      next = check(directory, backup, Long.parseLong(returned.get(returned.size() - 1)));
    }
    LOG.warn("{} messages, {} kills", next, ROUNDS);
    try (MessageQueue<String> queue = CompactionChild.open(directory, backup)) {
      queue.compact();
      assertThat(queue.read(0, Integer.MAX_VALUE)).hasSizeLessThan(2 * 300 + CompactionChild.KEYS);
    }
  }

  /** Returns the next number: of a message, number and sequence are the same. */
  private static long check(Path directory, boolean backup, long last) {
    try (MessageQueue<String> queue = CompactionChild.open(directory, backup)) {
      long end = queue.stats().nextSequence();
      assertThat(end).isGreaterThan(last);
      Map<String, String> expected = new TreeMap<>();
      for (long number = 0; number < end; number++) {
        expected.put(CompactionChild.key(number), CompactionChild.data(number));
      }
      Map<String, String> read = new TreeMap<>();
      for (Delivery<String> one : queue.read(0, Integer.MAX_VALUE)) {
        assertThat(one.key()).isEqualTo(CompactionChild.key(one.sequence()));
        assertThat(one.data()).isEqualTo(CompactionChild.data(one.sequence()));
        read.put(one.key(), one.data());
      }
      expected.values().removeIf(String::isEmpty);
      read.values().removeIf(String::isEmpty);
      assertThat(read).isEqualTo(expected);
      for (int i = 0; i < CompactionChild.KEYS; i++) {
        String key = "k" + i;
        assertThat(queue.latest(key).map(Delivery::data).orElse(null)).isEqualTo(expected.get(key));
      }
      assertThat(queue.stats().lostEver()).isZero();
      return end;
    }
  }
}
