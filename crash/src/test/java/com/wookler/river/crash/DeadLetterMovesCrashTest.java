package com.wookler.river.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
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

/** Kills a process that moves dead letters to other queues; each is in one place once. */
@Tag("full")
class DeadLetterMovesCrashTest {
  private static final int ROUNDS = Math.max(3, Counts.KILLS / 3);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path root;

  @Test
  void shouldMoveEachLetterOnceAcrossKills() throws Exception {
    Random random = new Random(Counts.seed(DeadLetterMovesCrashTest.class));
    Path directory = Files.createDirectory(root.resolve("queues"));
    for (int round = 0; round < ROUNDS; round++) {
      Path output = root.resolve("child-" + round);
      try (ChildProcess child =
          ChildProcess.start(
              DeadLetterMovesChild.class,
              output,
              ChildProcess.Launch.PLAIN,
              directory.toString())) {
        Waiting.file(directory.resolve("repair/origins.json"), child);
        Waiting.alive(Duration.ofMillis(300 + random.nextInt(900)), child);
        child.kill();
      }
    }
    try (MessageQueue<String> repair = DeadLetterMovesChild.open(directory, "repair");
        MessageQueue<String> dead = DeadLetterMovesChild.open(directory, "dead");
        MessageQueue<String> orders = DeadLetterMovesChild.open(directory, "orders")) {
      Subscriber<String> billing = DeadLetterMovesChild.billing(orders);
      Subscriber<String> shipping = DeadLetterMovesChild.shipping(orders);
      DeadLetterMovesChild.rejectAll(billing);
      DeadLetterMovesChild.rejectAll(shipping);
      await().until(() -> billing.stats().lag() == 0 && shipping.stats().lag() == 0);
      DeadLetterMovesChild.redrive(orders);
      await().until(() -> shipping.deadLetters().size() == 0);
      long published = orders.stats().nextSequence();
      assertThat(published).isPositive();
      shouldHold(repair.read(0, Integer.MAX_VALUE / 2), numbers(published, 1));
      shouldHold(dead.read(0, Integer.MAX_VALUE / 2), numbers(published, -1));
      shouldHold(billing.deadLetters().peek(Integer.MAX_VALUE / 2), numbers(published, 0));
    }
  }

  /** After a kill a rejected message may come, and be rejected, after later ones. */
  private static void shouldHold(List<Delivery<String>> found, List<String> numbers) {
    assertThat(found).extracting(Delivery::data).containsExactlyInAnyOrderElementsOf(numbers);
  }

  private static List<String> numbers(long end, int remainder) {
    return LongStream.range(0, end)
        .filter(each -> remainder < 0 || each % 2 == remainder)
        .mapToObj(String::valueOf)
        .toList();
  }
}
