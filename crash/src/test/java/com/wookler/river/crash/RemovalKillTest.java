package com.wookler.river.crash;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Kills a process that takes messages back: none comes again, and a replacement is one act. */
@Tag("full")
class RemovalKillTest {
  private static final Logger LOG = LoggerFactory.getLogger(RemovalKillTest.class);
  private static final int ROUNDS = Math.max(5, Counts.KILLS / 3);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path root;

  private long next; // number that is surely not published

  @Test
  void shouldKeepWhatWasTakenBackAcrossKills() throws Exception {
    Random random = new Random(Counts.seed(RemovalKillTest.class));
    Path directory = Files.createDirectory(root.resolve("queues"));
    Path done = Files.createFile(root.resolve("done"));
    for (int round = 0; round < ROUNDS; round++) {
      Path output = root.resolve("child-" + round);
      long before = Files.size(done);
      try (ChildProcess child =
          ChildProcess.start(
              RemovalChild.class,
              output,
              ChildProcess.Launch.PLAIN,
              directory.toString(),
              done.toString(),
              String.valueOf(next))) {
        Waiting.until(Duration.ofMinutes(1), () -> Files.size(done) > before || !child.isAlive());
        Waiting.alive(Duration.ofMillis(100 + random.nextInt(900)), child);
        assertThat(child.kill()).isEqualTo(ChildProcess.KILLED);
      }
      check(directory, Files.readAllLines(done).stream().map(Long::valueOf).toList(), round);
    }
    LOG.warn("{} numbers, {} kills", next, ROUNDS);
  }

  private void check(Path directory, List<Long> done, int round) {
    try (MessageQueue<String> queue = RemovalChild.open(directory)) {
      Subscriber<String> subscriber = queue.subscriber("new" + round);
      List<String> all = new ArrayList<>();
      for (Delivery<String> one = subscriber.next(); one != null; one = subscriber.next()) {
        all.add(one.data());
      }
      List<String> read = queue.read(0, Integer.MAX_VALUE).stream().map(Delivery::data).toList();
      Set<String> seen = new HashSet<>(all);
      assertThat(all).doesNotHaveDuplicates();
      Set<Long> returned = new HashSet<>(done);
      long last = done.get(done.size() - 1);
      for (long number : returned) {
        boolean removed = RemovalChild.isRemoved(number);
        boolean replaced = RemovalChild.isReplaced(number);
        assertThat(seen.contains("n" + number)).as("n%s", number).isEqualTo(!removed && !replaced);
        assertThat(seen.contains("r" + number)).as("r%s", number).isEqualTo(replaced);
      }
      for (long number = last + 1; number < last + 3; number++) { // one that was under way
        assertThat(seen.contains("n" + number) && seen.contains("r" + number)).isFalse();
      }
      assertThat(read.stream().filter(seen::contains).toList()).isEqualTo(all);
      assertThat(queue.removeSubscriber("new" + round)).isTrue();
      next = last + 3;
    }
  }
}
