package com.wookler.river.core.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.QueueStats;
import com.wookler.river.core.crash.Journal.Entry;
import com.wookler.river.core.crash.Journal.Kind;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Kills the process with SIGKILL at random moments, the opening included, and compares everything
 * with what it had promised.
 *
 * <p>{@code -Driver.crash.rounds} (default 20; the profile {@code crash} sets 1,000) and {@code
 * -Driver.crash.seed} to repeat a run.
 */
class CrashTest {
  private static final Logger LOG = LoggerFactory.getLogger(CrashTest.class);
  private static final int ROUNDS = Integer.getInteger("river.crash.rounds", 20);

  @TempDir Path root;

  @Test
  void shouldKeepEveryPromiseAcrossKills() throws Exception {
    long seed = Long.getLong("river.crash.seed", System.nanoTime() & 0xFFFF_FFFFL);
    LOG.warn("CrashTest: {} rounds, repeat with -Driver.crash.seed={}", ROUNDS, seed);
    SplittableRandom random = new SplittableRandom(seed);
    CrashSite site = new CrashSite(root);
    CrashCheck check = new CrashCheck(site);
    for (int round = 1; round <= ROUNDS; round++) {
      try {
        kill(site, round, random.split());
        check.round(round);
      } catch (Throwable e) {
        throw new AssertionError(
            "round " + round + " of seed " + seed + "; the child said:\n" + output(site, round), e);
      }
    }
    try {
      finish(site, check);
    } catch (Throwable e) {
      throw new AssertionError("after the last round of seed " + seed, e);
    }
    LOG.warn(
        "CrashTest: {} messages, {} acked, {} redelivered, {} in hand without ack when killed",
        check.messages(),
        check.billing().acked(),
        check.billing().redelivered(),
        check.unseenByAudit());
  }

  private static void kill(CrashSite site, int round, SplittableRandom random) throws Exception {
    String childSeed = Long.toString(random.nextLong());
    boolean whileOpening = round > 1 && random.nextInt(5) == 0;
    double skewed = random.nextDouble();
    Duration delay =
        Duration.ofMillis(
            whileOpening ? 200 + random.nextInt(800) : 50 + (long) (skewed * skewed * 1_450));
    try (ChildProcess child =
        ChildProcess.start(
            CrashChild.class,
            site.output(round),
            List.of(),
            site.root().toString(),
            Integer.toString(round),
            childSeed)) {
      if (!whileOpening) {
        await()
            .atMost(Duration.ofSeconds(60))
            .pollInterval(Duration.ofMillis(5))
            .until(() -> Files.exists(site.ready(round)) || !child.isAlive());
      }
      assertThat(child.awaitEnd(delay)).as("ended by itself").isFalse();
      assertThat(child.kill()).as("exit value").isEqualTo(ChildProcess.KILLED);
    }
  }

  private static String output(CrashSite site, int round) throws IOException {
    Path output = site.output(round);
    return Files.exists(output) ? Files.readString(output) : "nothing";
  }

  /** A last opening without a kill: all that is left is delivered, and then nothing more. */
  private static void finish(CrashSite site, CrashCheck check) throws Exception {
    try (MessageQueue<byte[]> queue = site.open(0)) {
      assertThat(queue.stats().nextSequence()).isEqualTo(check.messages());
      Subscriber<byte[]> audit = queue.subscriber(CrashSite.audit());
      Subscriber<byte[]> billing = queue.subscriber(CrashSite.billing());
      check.compareAudit(takeAll(audit, false));
      check.billing().round(takeAll(billing, true), check::expectContent);
      assertThat(check.auditNext()).isEqualTo(check.messages());
      check.billing().expectAllDelivered(check.messages());
      assertThat(billing.stats().lag()).isZero();
      awaitArchived(queue);
      lookUp(queue, check);
    }
    check.walkAgain();
    try (MessageQueue<byte[]> queue = site.open(0)) {
      assertThat(takeAll(queue.subscriber(CrashSite.audit()), false)).isEmpty();
      assertThat(takeAll(queue.subscriber(CrashSite.billing()), true)).isEmpty();
      assertThat(queue.publisher().publish(new byte[0])).isEqualTo(check.messages());
    }
  }

  private static List<Entry> takeAll(Subscriber<byte[]> from, boolean ack) throws Exception {
    List<Entry> entries = new ArrayList<>();
    while (true) {
      List<Delivery<byte[]>> deliveries = from.batch(CrashSite.AUDIT_BATCH, Duration.ZERO);
      if (deliveries.isEmpty()) {
        return entries;
      }
      entries.addAll(CrashChild.delivered(deliveries));
      if (ack) {
        from.ack(deliveries);
        entries.addAll(CrashChild.entries(Kind.ACKED, deliveries));
      }
    }
  }

  private static void awaitArchived(MessageQueue<byte[]> queue) {
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () -> {
              QueueStats stats = queue.stats();
              assertThat(stats.blocks()).as("only the active one is left: %s", stats).isEqualTo(1);
            });
  }

  /** Messages that can be looked up, in the log or in a backup, spread over the latest. */
  private static void lookUp(MessageQueue<byte[]> queue, CrashCheck check) {
    long messages = check.messages();
    long from = Math.max(0, messages - 20_000);
    for (long sequence = from; sequence < messages; sequence += 1 + (messages - from) / 100) {
      Delivery<byte[]> found = queue.read(sequence).orElseThrow();
      assertThat(Content.check(found.data(), sequence)).isEqualTo(check.id(sequence));
    }
  }
}
