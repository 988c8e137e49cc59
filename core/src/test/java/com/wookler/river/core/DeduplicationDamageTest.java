package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.testing.CapturedLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of the files of ids costs no repetition that the log or a backup still knows. */
@Timeout(120)
class DeduplicationDamageTest {
  private static final Duration WINDOW = Duration.ofMinutes(10);
  private static final int PART = 20; // messages of one file of ids, in two blocks
  private static final int PARTS = 5;

  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));
  private MessageQueue<String> queue;

  @AfterEach
  void close() {
    if (queue != null) {
      queue.close();
    }
  }

  private MessageQueue<String> open(boolean backup) {
    MessageQueue.Builder<String> builder =
        MessageQueue.builder("orders", MessageConverter.utf8())
            .directory(directory.resolve("data"))
            .recycle(SizeBasedRecycle.ofMessages(PART / 2))
            .deduplicate(WINDOW)
            .timeSource(time);
    if (backup) {
      builder.backup(directory.resolve("backup"), Duration.ofDays(3));
    }
    queue = builder.open();
    return queue;
  }

  private boolean isStoredAgain(int i) {
    return !queue.publisher().put(message(i), Durability.MEMORY).duplicate();
  }

  private static Message<String> message(int i) {
    return Message.of("data of " + i).withId("id " + i);
  }

  /** Several files of ids; the blocks of the first three have left the log. */
  private List<Path> fill(boolean backup) throws IOException {
    open(backup);
    Subscriber<String> audit = queue.subscriber("audit");
    for (int i = 0; i < PARTS * PART; i++) {
      queue.publisher().publish(message(i));
      if (i % PART == PART - 1) {
        queue.force();
        time.advance(Duration.ofSeconds(80));
      }
    }
    for (int i = 0; i < 3 * PART; i++) {
      audit.next();
    }
    await().until(() -> queue.stats().firstSequence() == 3 * PART);
    queue.close();
    try (Stream<Path> all = Files.list(directory.resolve("data/orders/ids"))) {
      List<Path> files = all.sorted().toList();
      assertThat(files).hasSize(PARTS);
      return files;
    }
  }

  private void assertNoneIsStoredAgain() {
    for (int i = 0; i < PARTS * PART; i++) {
      assertThat(isStoredAgain(i)).as("id %s", i).isFalse();
    }
    assertThat(queue.stats().nextSequence()).isEqualTo(PARTS * PART);
  }

  private void assertAsked(List<Path> files, int found) throws IOException {
    try (CapturedLog captured = new CapturedLog("com.wookler.river.core")) {
      open(true);
      assertThat(captured.lines())
          .anyMatch(
              line -> line.contains("its ids are not whole") && line.contains("had " + found));
    }
    assertNoneIsStoredAgain();
    queue.close();
    try (CapturedLog captured = new CapturedLog("com.wookler.river.core")) {
      open(true); // what the log said is kept
      assertThat(captured.lines()).noneMatch(line -> line.contains("ids"));
    }
    assertNoneIsStoredAgain();
    assertThat(files).isNotEmpty();
  }

  @Test
  void shouldAskLogAndBackupsWhenAFileIsMissing() throws IOException {
    List<Path> files = fill(true);
    Files.delete(files.get(1));
    assertAsked(files, PART);
  }

  @Test
  void shouldAskLogAndBackupsWhenAllFilesWereEmptied() throws IOException {
    List<Path> files = fill(true);
    for (Path file : files) {
      Files.write(file, new byte[0]);
    }
    assertAsked(files, PARTS * PART);
  }

  @Test
  void shouldAskLogAndBackupsWhenAllFilesAreMissing() throws IOException {
    List<Path> files = fill(true);
    for (Path file : files) {
      Files.delete(file);
    }
    assertAsked(files, PARTS * PART);
  }

  @Test
  void shouldAskLogAndBackupsWhenTheirDirectoryIsMissing() throws IOException {
    List<Path> files = fill(true);
    DataDirectory.deleteTree(directory.resolve("data/orders/ids"));
    assertAsked(files, PARTS * PART);
  }

  @Test
  void shouldAskTheBackupsForWhatADamagedFileHasLost() throws IOException {
    List<Path> files = fill(true);
    byte[] bytes = Files.readAllBytes(files.get(2));
    for (int i = bytes.length / 2; i < bytes.length; i += 7) {
      bytes[i] ^= 1;
    }
    Files.write(files.get(2), bytes);
    open(true);
    assertNoneIsStoredAgain();
  }

  @Test
  void shouldSayHowManyIdsAreKnownNowhere() throws IOException {
    List<Path> files = fill(false);
    Files.delete(files.get(0));
    Files.delete(files.get(4));
    try (CapturedLog captured = new CapturedLog("com.wookler.river.core")) {
      open(false);
      assertThat(captured.lines())
          .anyMatch(
              line ->
                  line.contains("had " + PART + " more")
                      && line.contains("up to " + PART + " are known nowhere any more"));
    }
    for (int i = 0; i < PARTS * PART; i++) {
      assertThat(isStoredAgain(i)).as("id %s", i).isEqualTo(i < PART);
    }
  }
}
