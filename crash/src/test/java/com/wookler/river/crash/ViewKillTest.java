package com.wookler.river.crash;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.QueueView;
import com.wookler.river.core.River;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.subscriber.Delivery;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A view in this process of a queue that another one has open, which begins blocks, archives or
 * removes them, and is killed and started again.
 */
class ViewKillTest {
  private static final Logger LOG = LoggerFactory.getLogger(ViewKillTest.class);
  private static final int ROUNDS = Math.max(Math.min(3, Counts.KILLS / 2), Counts.KILLS / 10);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path root;

  private long next; // to be shown
  private long shown;

  private Path data() {
    return root.resolve("queues/data/orders");
  }

  private Path backup() {
    return root.resolve("queues/backup/orders");
  }

  private ChildProcess start(String output, boolean backup) throws Exception {
    Files.createDirectories(root.resolve("queues"));
    ChildProcess child =
        ChildProcess.start(
            ViewChild.class,
            root.resolve(output),
            ChildProcess.Launch.PLAIN,
            root.resolve("queues").toString(),
            String.valueOf(backup),
            root.resolve("queues").resolve(output).toString());
    Waiting.until(
        Duration.ofMinutes(1),
        () -> Files.exists(root.resolve("queues").resolve(output)) || !child.isAlive());
    return child;
  }

  private void check(List<StoredMessage> found, QueueView view) {
    for (StoredMessage message : found) {
      assertThat(message.sequence()).isGreaterThanOrEqualTo(next);
      assertThat(new String(message.data(), StandardCharsets.UTF_8))
          .isEqualTo(ViewChild.message(message.sequence()).data());
      next = message.sequence() + 1;
      shown++;
    }
    assertThat(shown + view.missed()).as("shown and missed").isEqualTo(view.position());
  }

  private void read(QueueView view) throws InterruptedException {
    check(view.poll(50, Duration.ofMillis(20)), view);
  }

  private void finish(QueueView view, boolean backup) {
    List<StoredMessage> rest = view.poll(1_000);
    for (; !rest.isEmpty(); rest = view.poll(1_000)) {
      check(rest, view);
    }
    try (MessageQueue<String> queue = ViewChild.open(root.resolve("queues"), backup)) {
      assertThat(queue.stats().nextSequence()).isEqualTo(next);
      long last = next - 1;
      assertThat(queue.read(last).map(Delivery::data).orElseThrow())
          .isEqualTo(ViewChild.message(last).data());
    }
  }

  @Test
  void shouldShowAllInOrderWhileTheOwnerArchivesAndIsKilled() throws Exception {
    Random random = new Random(Counts.seed(ViewKillTest.class));
    QueueView view = null;
    for (int round = 0; round < ROUNDS; round++) {
      try (ChildProcess child = start("child-" + round, true)) {
        view = view == null ? River.openReadOnly(data(), backup()) : view;
        view.moveTo(next);
        long enough = next + 500 + random.nextInt(1_000);
        while (next < enough && child.isAlive()) {
          read(view);
          if (random.nextInt(20) == 0) {
            Waiting.alive(Duration.ofMillis(150), child); // blocks leave meanwhile
          }
        }
        assertThat(child.kill()).as(child.output()).isEqualTo(ChildProcess.KILLED);
      }
    }
    finish(view, true);
    assertThat(view.missed()).isZero();
    LOG.info("{} messages shown, {} kills", shown, ROUNDS);
    view.close();
  }

  @Test
  void shouldContinueAfterWhatWasRemovedAndSaySo() throws Exception {
    QueueView view = null;
    for (int round = 0; round < 2; round++) {
      try (ChildProcess child = start("child-" + round, false)) {
        view = view == null ? River.openReadOnly(data()) : view;
        view.moveTo(next);
        for (int i = 0; i < 3 && child.isAlive(); i++) {
          read(view);
          long missed = view.missed();
          for (int pause = 0; pause < 100 && view.missed() == missed; pause++) {
            Waiting.alive(Duration.ofMillis(200), child);
            read(view);
          }
          assertThat(view.missed()).isGreaterThan(missed);
        }
        assertThat(child.kill()).as(child.output()).isEqualTo(ChildProcess.KILLED);
      }
    }
    finish(view, false);
    LOG.info("{} messages shown, {} were removed before", shown, view.missed());
    view.close();
  }
}
