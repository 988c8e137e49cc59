package com.wookler.river.crash;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.crash.Journal.Entry;
import com.wookler.river.crash.Journal.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a process that publishes delayed messages and takes those that are due. A quarter of {@code
 * -Driver.crash.rounds}, and {@code -Driver.crash.seed} to repeat a run.
 */
@Tag("full")
class DelayCrashTest {
  private static final int ROUNDS = Math.max(2, Counts.KILLS / 4);
  private static final int LEAST_MILLIS = 200;
  private static final int MOST_MILLIS = 1_200;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path root;

  @Test
  void shouldDeliverEachOnceAcrossKills() throws Exception {
    SplittableRandom random = new SplittableRandom(Counts.seed(DelayCrashTest.class));
    for (int round = 1; round <= ROUNDS; round++) {
      try (ChildProcess child =
          ChildProcess.start(
              DelayChild.class,
              root.resolve("output-" + round),
              ChildProcess.Launch.PLAIN,
              root.resolve("data").toString(),
              published(round).toString(),
              delivered(round).toString(),
              Integer.toString(round),
              root.resolve("ready-" + round).toString())) {
        Waiting.file(root.resolve("ready-" + round), child);
        Waiting.alive(Duration.ofMillis(random.nextInt(LEAST_MILLIS, MOST_MILLIS)), child);
        assertThat(child.kill()).as(child.output()).isEqualTo(ChildProcess.KILLED);
      }
    }
    takeTheRest();
    compare();
  }

  private Path published(int round) {
    return root.resolve("published-" + round);
  }

  private Path delivered(int round) {
    return root.resolve("delivered-" + round);
  }

  private void takeTheRest() throws Exception {
    Journal journal = new Journal(delivered(0));
    try (MessageQueue<String> queue = DelayChild.open(root.resolve("data"))) {
      Subscriber<String> billing = DelayChild.billing(queue);
      while (queue.stats().delayed() > 0 || billing.stats().lag() > 0) {
        Delivery<String> next = billing.next(Duration.ofMillis(100));
        if (next != null) {
          DelayChild.take(next, journal);
        }
      }
    }
  }

  private void compare() throws IOException {
    Map<Long, Long> promised = new HashMap<>();
    for (int round = 1; round <= ROUNDS; round++) {
      for (Entry entry : Journal.read(published(round))) {
        promised.put(DelayChild.id(round, entry.a()), entry.c());
      }
    }
    Set<Long> once = new HashSet<>();
    Map<Long, Long> came = new HashMap<>();
    for (int round = 0; round <= ROUNDS; round++) {
      for (Entry entry : Journal.read(delivered(round))) {
        assertThat(entry.kind()).isEqualTo(Kind.DELIVERED);
        if (entry.b() == 1) {
          assertThat(once.add(entry.c())).as("%s comes for the first time", entry).isTrue();
        }
        came.put(entry.c(), entry.a());
      }
    }
    assertThat(promised).isNotEmpty();
    assertThat(came).containsAllEntriesOf(promised);
    assertThat(came.size() - promised.size()).isBetween(0, ROUNDS); // one was under way
  }
}
