package com.wookler.river.core;

import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Subscriber;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A queue that is compacted by age, though nothing is published any more. */
@Timeout(60)
class CompactionAgeTest {
  private static final String LONG = "x".repeat(1_000); // so that a block is worth it

  @TempDir Path directory;

  private final Clock time = new Clock();

  /** A clock that may fail when the compaction asks for the time. */
  private static final class Clock extends ManualTimeSource {
    private final AtomicInteger failures = new AtomicInteger();
    private volatile boolean fails;

    Clock() {
      super(Instant.parse("2026-11-20T10:00:00Z"));
    }

    @Override
    public long epochMicros() {
      if (fails
          && Stream.of(Thread.currentThread().getStackTrace())
              .anyMatch(frame -> frame.getClassName().endsWith("Compactor$Pass"))) {
        failures.incrementAndGet();
        throw new StackOverflowError();
      }
      return super.epochMicros();
    }
  }

  private MessageQueue.Builder<String> builder() {
    return MessageQueue.builder("states", MessageConverter.utf8())
        .directory(directory.resolve("data"))
        .blockBytes(256 << 10)
        .maxMessageBytes(16 << 10)
        .recycle(SizeBasedRecycle.ofMessages(50))
        .keyIndex(true)
        .compact(true)
        .compactBytes(40_000) // a block
        .timeSource(time);
  }

  private static void publish(MessageQueue<String> queue, int messages) {
    for (int i = 0; i < messages; i++) {
      queue.publisher().publish(Message.of(LONG + i).withKey("key"));
    }
  }

  private boolean advance() {
    time.advance(Duration.ofMillis(200));
    return true;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldRemoveDeleteMarkersByAgeAfterARestart(boolean backup) {
    MessageQueue.Builder<String> builder = builder();
    if (backup) {
      builder.backup(directory.resolve("backup"), Duration.ZERO);
    }
    try (MessageQueue<String> queue = builder.open()) {
      Subscriber<String> reader = queue.subscriber("reader");
      publish(queue, 49);
      queue.publisher().publish(Message.of("").withKey("key"));
      queue.publisher().publish("the active block");
      queue.force();
      while (reader.next() != null) {
        // with a backup the block leaves the log
      }
      await().until(() -> advance() && queue.stats().compacted() == 49);
    }
    try (MessageQueue<String> queue = builder.compactBytes(1L << 40).open()) {
      await().during(Duration.ofMillis(300)).until(() -> advance() && removed(queue, 0));
      time.advance(Duration.ofDays(1));
      await().until(() -> advance() && removed(queue, 1));
    }
  }

  private static boolean removed(MessageQueue<String> queue, long compacted) {
    return queue.stats().compacted() == compacted;
  }

  /** What has grown before was counted by the pass that found it too young. */
  @Test
  void shouldCompactAtOnceWhatNeedNotBeOldAnyMore() {
    try (MessageQueue<String> queue = builder().compactAge(Duration.ofHours(1)).open()) {
      publish(queue, 51);
      queue.force();
      await().during(Duration.ofMillis(300)).until(this::advance); // a pass comes meanwhile
      queue.reconfigure(to -> to.set(QueueOptions.COMPACT_AGE, Duration.ZERO));
      await().until(() -> advance() && queue.stats().compacted() == 50);
    }
  }

  @Test
  void shouldTryAgainLaterAfterAnError() {
    try (MessageQueue<String> queue = builder().compactAge(Duration.ofNanos(1_000)).open()) {
      time.fails = true;
      publish(queue, 51);
      queue.force();
      await().until(() -> advance() && time.failures.get() > 0);
      await().during(Duration.ofMillis(300)).until(() -> time.failures.get() == 1);
      time.fails = false;
      await().until(() -> advance() && queue.stats().compacted() == 50);
    }
  }
}
