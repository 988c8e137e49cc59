package com.wookler.river.crash;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.subscriber.DeadLetters;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.crash.Journal.Entry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills in the middle of what a queue does beyond storing and handing over: {@code
 * -Driver.crash.rounds}, a quarter of them each, and {@code -Driver.crash.seed}.
 */
@Tag("full")
class DeliveryKillTest {
  private static final int ROUNDS = Math.max(2, Counts.KILLS / 4);
  private static final int REPEATED = 50;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path root;

  private int round;
  private final List<Entry> promised = new ArrayList<>();

  private Path data() {
    return root.resolve("data");
  }

  private ChildProcess start(String what, long first) throws Exception {
    round++;
    return ChildProcess.start(
        DeliveryChild.class,
        root.resolve("output" + round),
        ChildProcess.Launch.PLAIN,
        what,
        data().toString(),
        journal().toString(),
        Long.toString(first));
  }

  private Path journal() {
    return root.resolve("journal" + round);
  }

  /** Publishes numbers from the last known on, some of them again, until it is killed. */
  private void publishUntilKilled(String what, Random random, int again) throws Exception {
    for (int i = 0; i < ROUNDS; i++) {
      long known = promised.isEmpty() ? 0 : promised.get(promised.size() - 1).a() + 1;
      try (ChildProcess child = start(what, Math.max(0, known - again))) {
        Waiting.until(
            Waiting.RESUMED, () -> !Journal.read(journal()).isEmpty() || !child.isAlive());
        Waiting.alive(Duration.ofMillis(20 + random.nextInt(300)), child);
        assertThat(child.kill()).isEqualTo(ChildProcess.KILLED);
      }
      promised.addAll(Journal.read(journal()));
    }
    assertThat(promised).isNotEmpty();
  }

  @Test
  void shouldStoreAnIdOnceThoughItIsRepeatedAfterEachKill() throws Exception {
    publishUntilKilled("dedup", new Random(Counts.seed(DeliveryKillTest.class)), REPEATED);
    try (MessageQueue<String> queue = DeliveryChild.dedup(data())) {
      List<String> stored = queue.read(0, Integer.MAX_VALUE).stream().map(Delivery::data).toList();
      assertThat(stored).hasSize((int) queue.stats().nextSequence()).doesNotHaveDuplicates();
      for (Entry entry : promised) {
        assertThat(stored.get((int) entry.c())).isEqualTo("m" + entry.a());
      }
    }
  }

  @Test
  void shouldKeepTheNewestWithinTheLimitAcrossKills() throws Exception {
    SubscriberConfig slow = SubscriberConfig.builder("slow").ack(true).build();
    try (MessageQueue<String> queue = DeliveryChild.limited(data())) {
      queue.subscriber(slow);
    }
    publishUntilKilled("limited", new Random(Counts.seed(DeliveryKillTest.class)), 0);
    try (MessageQueue<String> queue = DeliveryChild.limited(data())) {
      Subscriber<String> subscriber = queue.subscriber(slow);
      long end = queue.stats().nextSequence();
      List<Delivery<String>> left = subscriber.batch(2 * DeliveryChild.LIMIT, Duration.ZERO);
      Entry last = promised.get(promised.size() - 1);
      assertThat(end).isGreaterThan(last.c()).isGreaterThan(DeliveryChild.LIMIT);
      queue.publisher().publish("one more");
      assertThat(subscriber.stats().lag()).isLessThanOrEqualTo(DeliveryChild.LIMIT);
      assertThat(left.get(left.size() - 1).sequence()).isEqualTo(end - 1);
      for (int i = 1; i < left.size(); i++) {
        assertThat(left.get(i).sequence()).isEqualTo(left.get(i - 1).sequence() + 1);
      }
      assertThat(left).hasSizeGreaterThanOrEqualTo(DeliveryChild.LIMIT);
    }
  }

  @Test
  void shouldBuryAMessageThatKillsTheProcessAtEachDelivery() throws Exception {
    try (MessageQueue<String> queue = DeliveryChild.plain(data())) {
      queue.subscriber(DeliveryChild.BILLING);
      queue.publisher().publishAll(List.of("a", DeliveryChild.POISON, "b"));
    }
    List<Long> attempts = new ArrayList<>();
    for (int i = 0; i <= DeliveryChild.DELIVERIES; i++) {
      try (ChildProcess child = start("consume", 0)) {
        assertThat(child.awaitEnd(Waiting.RESUMED)).as(child.output()).isTrue();
        boolean last = i == DeliveryChild.DELIVERIES;
        assertThat(child.exitValue()).as(child.output()).isEqualTo(last ? 0 : ChildProcess.KILLED);
      }
      Journal.read(journal()).stream().filter(e -> e.a() == 1).forEach(e -> attempts.add(e.b()));
    }
    assertThat(attempts).containsExactly(1L, 2L);
    try (MessageQueue<String> queue = DeliveryChild.plain(data())) {
      Subscriber<String> billing = queue.subscriber(DeliveryChild.BILLING);
      assertThat(billing.next()).isNull();
      assertThat(billing.stats().ackFloor()).isEqualTo(3);
      List<Delivery<String>> letters = billing.deadLetters().peek(10);
      assertThat(letters).hasSize(1);
      assertThat(letters.get(0).data()).isEqualTo(DeliveryChild.POISON);
      assertThat(
              new String(
                  letters.get(0).headers().get(DeadLetters.ATTEMPTS), StandardCharsets.UTF_8))
          .isEqualTo("2");
    }
  }
}
