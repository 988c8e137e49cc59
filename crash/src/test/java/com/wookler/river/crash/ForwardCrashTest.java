package com.wookler.river.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.forward.ForwardConfig;
import com.wookler.river.forward.Forwards;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Kills a process that forwards from queue to queue; each message is in each of them once. */
@Tag("full")
class ForwardCrashTest {
  private static final int ROUNDS = Math.max(3, Counts.KILLS / 3);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path root;

  @Test
  void shouldForwardEachMessageOnceAcrossKills() throws Exception {
    Random random = new Random(Counts.seed(ForwardCrashTest.class));
    Path directory = Files.createDirectory(root.resolve("queues"));
    for (int round = 0; round < ROUNDS; round++) {
      Path output = root.resolve("child-" + round);
      try (ChildProcess child =
          ChildProcess.start(
              ForwardChild.class, output, ChildProcess.Launch.PLAIN, directory.toString())) {
        Waiting.file(directory.resolve("audit/origins.json"), child);
        Waiting.alive(Duration.ofMillis(200 + random.nextInt(600)), child);
        child.kill();
      }
    }
    long published;
    try (MessageQueue<String> audit = ForwardChild.target(directory, "audit").open();
        MessageQueue<String> billing = ForwardChild.target(directory, "billing").open();
        MessageQueue<String> orders = ForwardChild.source(directory).open()) {
      published = orders.stats().nextSequence();
      assertThat(published).isPositive();
      for (MessageQueue<String> target : List.of(audit, billing)) {
        await()
            .atMost(Duration.ofSeconds(60))
            .until(() -> target.stats().nextSequence() >= published);
        shouldHoldEachOnce(target, published);
      }
    }
  }

  /** A target that is added, removed and given another filter all the time. */
  @Test
  void shouldForwardEachMessageOnceWhileTargetsAndFiltersChange() throws Exception {
    Random random = new Random(Counts.seed(ForwardCrashTest.class));
    Path directory = Files.createDirectory(root.resolve("queues"));
    for (int round = 0; round < ROUNDS; round++) {
      Path output = root.resolve("child-" + round);
      try (ChildProcess child =
          ChildProcess.start(
              ForwardChangesChild.class, output, ChildProcess.Launch.PLAIN, directory.toString())) {
        Waiting.file(directory.resolve("some/origins.json"), child);
        Waiting.alive(Duration.ofMillis(200 + random.nextInt(600)), child);
        child.kill();
      }
    }
    try (MessageQueue<String> audit = ForwardChangesChild.target(directory, "audit").open();
        MessageQueue<String> some = ForwardChangesChild.target(directory, "some").open();
        MessageQueue<String> orders = ForwardChangesChild.source(directory).open()) {
      long published = orders.stats().nextSequence();
      Forwards forwards = Forwards.of(orders);
      if (forwards.configs().size() == 1) { // killed after a removal
        forwards.add(ForwardConfig.to("some").filter("headers.kind != 'none'").build());
      }
      assertThat(forwards.await(published - 1, Duration.ofMinutes(1))).isTrue();
      shouldHoldEachOnce(audit, published);
      List<String> wanted =
          LongStream.range(0, published)
              .filter(sequence -> sequence % 3 != 0)
              .mapToObj(String::valueOf)
              .toList();
      assertThat(some.read(0, (int) published)).extracting(Delivery::data).isEqualTo(wanted);
    }
  }

  private static void shouldHoldEachOnce(MessageQueue<String> target, long published) {
    assertThat(target.stats().nextSequence()).isEqualTo(published);
    long at = 0;
    while (at < published) {
      List<Delivery<String>> some = target.read(at, 1_000);
      assertThat(some).as("from %s on", at).isNotEmpty();
      for (Delivery<String> message : some) {
        assertThat(message.data()).isEqualTo(String.valueOf(at++));
      }
    }
  }
}
