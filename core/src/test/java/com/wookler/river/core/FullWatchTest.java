package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.testing.CapturedLog;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is said of messages that are given up: a line when it begins, and one when it is over. */
@Timeout(60)
class FullWatchTest {
  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));
  private final AtomicLong discarded = new AtomicLong();
  private CapturedLog captured;

  @BeforeEach
  void listen() {
    captured = new CapturedLog(FullWatch.class);
  }

  @AfterEach
  void close() {
    captured.close();
  }

  private MessageQueue.Builder<String> settings() {
    return MessageQueue.builder("orders", MessageConverter.utf8())
        .directory(directory)
        .maxMessages(5)
        .whenFull(FullPolicy.DISCARD_OLDEST, Duration.ZERO)
        .timeSource(time);
  }

  /** So many looks, each after so long, at which so many more messages were given up. */
  private void looks(FullWatch watch, int looks, Duration after, int more) {
    for (int i = 0; i < looks; i++) {
      time.advance(after);
      discarded.addAndGet(more);
      watch.look();
    }
  }

  @Test
  void shouldSpeakOnceABurstHoweverManyMessagesAreGivenUp() {
    QueueConfig<String> config = settings().config();
    RunningQueue<String> queue = new RunningQueue<>(config, new Listeners(), true, () -> {});
    try {
      AdmissionControl intake = new AdmissionControl(config, queue.log(), () -> 0);
      FullWatch watch = new FullWatch(config, intake, discarded::get, why -> {});
      looks(watch, 100, Duration.ofMillis(100), 0);
      assertThat(captured.warnings()).isEmpty();

      looks(watch, 1_000, Duration.ofMillis(100), 3);
      looks(watch, 1, Duration.ofMillis(9_999), 0); // still the same burst
      looks(watch, 10, Duration.ofSeconds(9), 1);
      assertThat(captured.warnings()).hasSize(1).first().asString().contains("orders", "3 so far");

      looks(watch, 100, Duration.ofSeconds(1), 0);
      assertThat(captured.warnings())
          .hasSize(2)
          .last()
          .asString()
          .contains("has discarded 3010 messages");

      looks(watch, 50, Duration.ofMillis(100), 2);
      assertThat(captured.warnings())
          .hasSize(3)
          .last()
          .asString()
          .contains("orders", "3012 so far");
      looks(watch, 100, Duration.ofSeconds(1), 0);
      assertThat(captured.warnings())
          .hasSize(4)
          .last()
          .asString()
          .contains("has discarded 100 messages");
    } finally {
      queue.close(false);
    }
  }

  @Test
  void shouldBeAskedByHousekeeping() {
    MessageQueue.Builder<String> settings =
        settings().subscriber(SubscriberConfig.builder("slow").ack(true).build());
    RunningQueue<String> queue =
        new RunningQueue<>(settings.config(), new Listeners(), true, () -> {});
    try {
      for (int i = 0; i < 1_005; i++) {
        queue.publisher().publish("m" + i);
      }
      await()
          .until(
              () -> {
                time.advance(Duration.ofSeconds(10)); // again: it may not have seen the last one
                return captured.warnings().size() == 2;
              });
      assertThat(captured.warnings().get(1)).contains("has discarded 1000 messages");
      assertThat(queue.stats().discarded()).isEqualTo(1_000);
    } finally {
      queue.close(false);
    }
  }
}
