package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of blocks that every subscriber has finished. */
@Timeout(120)
class ArchiveTest {
  private static final Instant START = Instant.parse("2026-11-20T10:00:00Z");
  private static final Duration RETENTION = Duration.ofDays(3);

  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(START);
  private Path backups;
  private MessageQueue<String> queue;

  @AfterEach
  void close() {
    if (queue != null) {
      queue.close();
    }
  }

  private MessageQueue.Builder<String> builder() {
    return MessageQueue.builder("orders", MessageConverter.utf8())
        .directory(directory.resolve("data"))
        .recycle(SizeBasedRecycle.ofMessages(10))
        .timeSource(time);
  }

  private MessageQueue<String> openWithBackup() {
    backups = directory.resolve("backup");
    queue = builder().backup(backups, RETENTION).open();
    return queue;
  }

  private void publish(int messages) {
    for (int i = 0; i < messages; i++) {
      queue.publisher().publish("m" + queue.stats().nextSequence());
    }
  }

  private static void finish(Subscriber<String> subscriber, int messages) {
    for (int i = 0; i < messages; i++) {
      subscriber.next().ack();
    }
  }

  private List<String> logFiles() {
    return names(directory.resolve("data/orders/log"));
  }

  private static List<String> names(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static SubscriberConfig acking(String name) {
    return SubscriberConfig.builder(name).ack(true).build();
  }

  @Test
  void shouldRefuseToCloseWithinAListener() {
    openWithBackup();
    Queue<Throwable> refused = new ConcurrentLinkedQueue<>();
    try (MessageQueue<String> other =
        MessageQueue.builder("other", MessageConverter.utf8())
            .directory(directory.resolve("data"))
            .open()) {
      queue.addListener(
          new QueueListener() {
            @Override
            public void blockArchived(int block, long firstSequence, long messages, Path backup) {
              refused.add(catchThrowable(() -> queue.close()));
              refused.add(catchThrowable(() -> queue.delete()));
              refused.add(catchThrowable(other::close));
              throw new LinkageError("on purpose");
            }
          });
      Subscriber<String> subscriber = queue.subscriber(acking("billing"));
      publish(21);
      finish(subscriber, 21);
      await().until(() -> refused.size() == 6 && queue.stats().archived() == 2);
      assertThat(refused)
          .allSatisfy(
              e ->
                  assertThat(e)
                      .isInstanceOf(IllegalStateException.class)
                      .hasMessageContaining("another thread"));
      assertThat(other.publisher().publish("m0")).isZero();
      queue.close();
    }
  }

  @Test
  void shouldCompressWhatAllHaveFinishedAndDeleteIt() {
    openWithBackup();
    Subscriber<String> fast = queue.subscriber("fast");
    Subscriber<String> slow = queue.subscriber(acking("slow"));
    publish(55);
    finish(fast, 55);
    finish(slow, 39); // one short of the end of the fourth block
    await().until(() -> queue.stats().archived() == 3);
    await()
        .untilAsserted(
            () ->
                assertThat(logFiles())
                    .doesNotContain("b00000003.cq4", "b00000003.seal")
                    .contains("b00000004.cq4", "b00000005.cq4"));
    assertThat(names(backups.resolve("orders/2026/11/20")))
        .containsExactly(
            "b00000001.cq4.zst",
            "b00000001.seal",
            "b00000002.cq4.zst",
            "b00000002.seal",
            "b00000003.cq4.zst",
            "b00000003.seal");
    assertThat(queue.stats().firstSequence()).isEqualTo(30);
    assertThat(queue.stats().messages()).isEqualTo(25);
    assertThat(queue.stats().backups()).isEqualTo(3);

    finish(slow, 1);
    await().until(() -> queue.stats().archived() == 4);
    assertThat(queue.stats().firstSequence()).isEqualTo(40);
    for (int i = 0; i < 55; i++) {
      assertThat(queue.read(i).get().data()).isEqualTo("m" + i);
    }
    assertThat(queue.read(55)).isEmpty();
    assertThat(queue.read(0, 100)).hasSize(55);
    assertThat(queue.sequenceAt(START)).hasValue(0);
  }

  @Test
  void shouldNotArchiveAroundOneUnfinishedMessage() {
    openWithBackup();
    Subscriber<String> subscriber = queue.subscriber(acking("billing"));
    publish(35);
    Delivery<String> stuck = subscriber.next();
    finish(subscriber, 34);
    queue.subscriber("audit").purge();
    assertThat(queue.stats().archived()).isZero();
    assertThat(queue.stats().firstSequence()).isZero();
    stuck.ack();
    await().until(() -> queue.stats().archived() == 3);
  }

  @Test
  void shouldJustDeleteWithoutABackup() {
    queue = builder().open();
    publish(35);
    finish(queue.subscriber("audit"), 35);
    await().until(() -> queue.stats().firstSequence() == 30);
    await().untilAsserted(() -> assertThat(logFiles()).doesNotContain("b00000003.cq4"));
    assertThat(queue.stats().archived()).isZero(); // what is archived is in a backup
    assertThat(queue.read(29)).isEmpty();
    assertThat(queue.read(30)).isPresent();
    assertThat(queue.stats().backups()).isZero();
    assertThat(queue.subscriber("new").next().sequence()).isEqualTo(30);
  }

  @Test
  void shouldKeepEverythingWithoutSubscribers() {
    openWithBackup();
    publish(35);
    time.advance(Duration.ofDays(365));
    queue.force();
    assertThat(queue.stats().archived()).isZero();
    queue.close();
    openWithBackup();
    assertThat(queue.subscriber("late").stats().lag()).isEqualTo(35);
    finish(queue.subscriber("late"), 35);
    await().until(() -> queue.stats().archived() == 3);
  }

  @Test
  void shouldRemoveBackupsWhenTheirTimeIsOver() {
    openWithBackup();
    Subscriber<String> audit = queue.subscriber("audit");
    publish(20);
    finish(audit, 20);
    await().until(() -> queue.stats().archived() == 2);
    time.advance(Duration.ofDays(1));
    publish(10);
    finish(audit, 10);
    await().until(() -> queue.stats().archived() == 3);
    assertThat(backups.resolve("orders/2026/11/21/b00000003.cq4.zst")).exists();

    time.advance(RETENTION.minusDays(1).minusMinutes(1));
    publish(10);
    finish(audit, 10);
    await().until(() -> queue.stats().archived() == 4); // housekeeping went by
    assertThat(queue.read(0)).isPresent();
    assertThat(queue.stats().backups()).isEqualTo(4);

    time.advance(Duration.ofMinutes(1));
    await().until(() -> queue.stats().backups() == 2);
    assertThat(queue.read(0)).isEmpty();
    assertThat(queue.read(19)).isEmpty();
    assertThat(queue.read(20)).isPresent();
    await().until(() -> !Files.exists(backups.resolve("orders/2026/11/20")));
    assertThat(backups.resolve("orders/2026/11/21")).exists();
  }

  @Test
  void shouldTellListeners() {
    openWithBackup();
    Queue<String> told = new ConcurrentLinkedQueue<>();
    queue.addListener(
        new QueueListener() {
          @Override
          public void blockArchived(int block, long first, long messages, Path backup) {
            throw new IllegalStateException("thrown by the test's listener");
          }
        });
    queue.addListener(
        new QueueListener() {
          @Override
          public void blockArchived(int block, long first, long messages, Path backup) {
            assertThat(backup).exists();
            told.add(block + ":" + first + ":" + messages + ":" + backup.getFileName());
          }
        });
    publish(25);
    finish(queue.subscriber("audit"), 25);
    await()
        .untilAsserted(
            () ->
                assertThat(told)
                    .containsExactly("1:0:10:b00000001.cq4.zst", "2:10:10:b00000002.cq4.zst"));
  }

  @Test
  void shouldKeepTheBlockAndTryAgainWhenItCannotBeArchived() throws IOException {
    Path notADirectory = Files.createFile(directory.resolve("file"));
    backups = notADirectory.resolve("below");
    queue = builder().backup(backups, RETENTION).open();
    Queue<String> failed = new ConcurrentLinkedQueue<>();
    queue.addListener(
        new QueueListener() {
          @Override
          public void backupFailed(int block, String why) {
            failed.add(block + " " + why);
          }
        });
    publish(25);
    finish(queue.subscriber("audit"), 25);
    await()
        .until(
            () -> {
              time.advance(Duration.ofMinutes(1));
              return queue.stats().backupFailures() > 1;
            });
    assertThat(failed).hasSize(1).allMatch(line -> line.startsWith("1 ")); // said once
    assertThat(queue.stats().archived()).isZero();
    assertThat(queue.stats().firstSequence()).isZero();
    assertThat(queue.read(0)).isPresent();
    assertThat(queue.publisher().publish("still")).isEqualTo(25);

    Files.delete(notADirectory);
    await()
        .until(
            () -> {
              time.advance(Duration.ofMinutes(1)); // past any pause between two tries
              return queue.stats().archived() == 2;
            });
    assertThat(queue.read(0).get().data()).isEqualTo("m0");
    assertThat(queue.stats().backupFailures()).isZero();
  }

  @Test
  void shouldReadArchivedMessagesAfterAReopening() {
    openWithBackup();
    publish(25);
    finish(queue.subscriber("audit"), 25);
    await().until(() -> queue.stats().archived() == 2);
    queue.close();
    openWithBackup();
    assertThat(queue.stats().backups()).isEqualTo(2);
    assertThat(queue.stats().firstSequence()).isEqualTo(20);
    assertThat(queue.read(3).get().data()).isEqualTo("m3");
    assertThat(queue.subscriber("new").next().sequence()).isEqualTo(20);
    publish(10);
    assertThat(queue.stats().nextSequence()).isEqualTo(35);
  }

  @Test
  void shouldArchiveWhatWasSkipped() {
    openWithBackup();
    Subscriber<String> billing = queue.subscriber(acking("billing"));
    publish(35);
    billing.next();
    billing.seek(Position.sequence(20));
    await().until(() -> queue.stats().archived() == 2);
    assertThat(billing.purge()).isEqualTo(15);
    await().until(() -> queue.stats().archived() == 3);
    billing.seek(Position.earliest());
    assertThat(billing.next().sequence()).isEqualTo(30);
  }

  @Test
  void shouldKeepBackupsWhenTheQueueIsDeleted() {
    openWithBackup();
    publish(25);
    finish(queue.subscriber("audit"), 25);
    await().until(() -> queue.stats().archived() == 2);
    queue.delete();
    assertThat(directory.resolve("data/orders")).doesNotExist();
    assertThat(names(backups.resolve("orders/2026/11/20"))).hasSize(4);
    openWithBackup();
    assertThat(queue.stats().nextSequence()).isZero();
    assertThat(queue.read(0)).isEmpty();
    publish(12);
    finish(queue.subscriber("audit"), 12);
    await().until(() -> queue.stats().archived() == 1);
    assertThat(queue.read(9).get().data()).isEqualTo("m9");
  }
}
