package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.backup.BackupFiles;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What happens to a queue between two steps of a compaction, or within one. A pass asks for the
 * time at each of its steps: before a block is looked at, before its file is replaced, and at a
 * delete marker that is the last of its key.
 */
@Timeout(60)
class CompactionStepsTest {
  @TempDir Path directory;

  private final Clock time = new Clock();

  /** A clock that runs something when the worker asks for the time. */
  private static final class Clock extends ManualTimeSource {
    private final AtomicInteger asked = new AtomicInteger();
    private volatile Runnable work = () -> {};

    Clock() {
      super(Instant.parse("2026-11-20T10:00:00Z"));
    }

    /** At the so many-th question of the worker from now on. */
    void at(int number, Runnable task) {
      work = task;
      asked.set(number);
    }

    @Override
    public long epochMicros() {
      if (asked.get() > 0
          && Stream.of(Thread.currentThread().getStackTrace())
              .anyMatch(frame -> frame.getClassName().contains("core.Compactor"))
          && asked.decrementAndGet() == 0) {
        work.run();
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
        .keyIndex(true) // and no compaction in the background
        .compactAge(Duration.ofNanos(1_000))
        .compactDeletesAge(Duration.ZERO)
        .timeSource(time);
  }

  private static void publish(MessageQueue<String> queue, String key, String value) {
    queue.publisher().publish(Message.of(value).withKey(key));
  }

  private static void notes(MessageQueue<String> queue, int count) {
    for (int i = 0; i < count; i++) {
      queue.publisher().publish("note");
    }
    queue.force();
  }

  private long compact(MessageQueue<String> queue) {
    time.advance(Duration.ofSeconds(1));
    return queue.compact();
  }

  private static List<String> of(MessageQueue<String> queue, String key) {
    return queue.read(0, Integer.MAX_VALUE).stream()
        .filter(message -> key.equals(message.key()))
        .map(Delivery::data)
        .toList();
  }

  @Test
  void shouldKeepADeleteMarkerThatIsPublishedBehindThePass() {
    try (MessageQueue<String> queue = builder().open()) {
      publish(queue, "key", "one");
      notes(queue, 120);
      time.at(
          2, // the first block was passed
          () -> {
            publish(queue, "key", "");
            notes(queue, 100);
            time.advance(Duration.ofSeconds(1));
          });
      assertThat(compact(queue)).isZero();
      assertThat(queue.stats().nextSequence()).isEqualTo(222);
      assertThat(of(queue, "key")).containsExactly("one", "");
      assertThat(compact(queue)).isEqualTo(2);
      assertThat(of(queue, "key")).isEmpty();
    }
  }

  @Test
  void shouldKeepAMessageWhoseSuccessorIsDeletedDuringThePass() {
    try (MessageQueue<String> queue = builder().open()) {
      publish(queue, "key", "one");
      notes(queue, 49);
      publish(queue, "key", "two");
      notes(queue, 49);
      publish(queue, "key", "three");
      notes(queue, 60);
      time.at(3, () -> assertThat(queue.delete(100, 101)).isOne()); // the second block begins
      assertThat(compact(queue)).isOne();
      assertThat(of(queue, "key")).containsExactly("two");
    }
  }

  @Test
  void shouldKeepAMessageWhoseSuccessorIsDeletedWhileItsBlockIsWritten() {
    try (MessageQueue<String> queue = builder().open()) {
      publish(queue, "key", "one");
      notes(queue, 49);
      publish(queue, "key", "two");
      notes(queue, 60);
      time.at(
          2, () -> assertThat(queue.delete(50, 51)).isOne()); // the block is about to be replaced
      assertThat(compact(queue)).isZero();
      assertThat(of(queue, "key")).containsExactly("one");
    }
  }

  /** Each cancels something of another key, which is no reason to keep a block as it is. */
  @Test
  void shouldCompactAQueueOfWhichMessagesAreDeletedAllTheTime() {
    try (MessageQueue<String> queue = builder().open()) {
      publish(queue, "key", "one");
      notes(queue, 49);
      publish(queue, "key", "two");
      notes(queue, 60);
      time.at(2, () -> assertThat(queue.delete(60, 61)).isOne());
      assertThat(compact(queue)).isOne();
      assertThat(of(queue, "key")).containsExactly("two");
    }
  }

  @Test
  void shouldRemoveWhatItHasCountedAndNothingElse() {
    try (MessageQueue<String> queue = builder().open()) {
      publish(queue, "other", "one");
      publish(queue, "key", "");
      notes(queue, 60);
      time.at(
          2, // at the delete marker
          () -> {
            publish(queue, "other", "two");
            queue.force();
          });
      assertThat(compact(queue)).isOne();
      assertThat(of(queue, "other")).containsExactly("one", "two");
      assertThat(of(queue, "key")).isEmpty();
      assertThat(queue.stats().compacted()).isOne();
    }
  }

  @Test
  void shouldRemoveWhatALaterMessageSupersedesThatWasNotForcedYet() {
    try (MessageQueue<String> queue = builder().syncInterval(Duration.ofHours(1)).open()) {
      publish(queue, "key", "one");
      notes(queue, 60);
      time.at(1, () -> publish(queue, "key", "two"));
      assertThat(compact(queue)).isOne();
      assertThat(of(queue, "key")).containsExactly("two");
    }
  }

  @Test
  void shouldEndAStepWhenTheQueueIsClosed() {
    MessageQueue<String> queue = builder().open();
    publish(queue, "key", "");
    notes(queue, 120);
    CompletableFuture<Void> closed = new CompletableFuture<>();
    Thread closing =
        new Thread(
            () -> {
              queue.close();
              closed.complete(null);
            });
    time.at(
        2, // at the delete marker
        () -> {
          closing.start();
          await().until(() -> waitsForTheWorker(closing));
        });
    assertThatThrownBy(() -> compact(queue)).isInstanceOf(QueueClosedException.class);
    closed.join();
    try (MessageQueue<String> again = builder().open()) {
      assertThat(of(again, "key")).containsExactly("");
      assertThat(compact(again)).isOne();
    }
  }

  private static boolean waitsForTheWorker(Thread thread) {
    return thread.getState() == Thread.State.WAITING
        && Stream.of(thread.getStackTrace())
            .anyMatch(frame -> frame.getMethodName().equals("drain"));
  }

  @Test
  void shouldPutTheSealBackWhereTheFileCannotBeReplaced() throws IOException {
    Path log = directory.resolve("data/states/log");
    try (MessageQueue<String> queue = builder().open()) {
      publish(queue, "key", "one");
      publish(queue, "key", "two");
      notes(queue, 60);
      Path inTheWay = Files.createDirectories(log.resolve("b00000001.seal.before.tmp/file"));
      assertThatThrownBy(() -> compact(queue)).isInstanceOf(RiverException.class);
      try (Stream<Path> files = Files.list(log)) {
        assertThat(files.filter(file -> file.toString().contains(".seal.")))
            .containsExactly(inTheWay.getParent());
      }
      Files.delete(inTheWay);
      Files.delete(inTheWay.getParent());
      assertThat(compact(queue)).isOne();
      assertThat(of(queue, "key")).containsExactly("two");
    }
  }

  @Test
  void shouldNotPassOverABackupWhoseSealCannotBeReadNow() throws IOException {
    Path backups = directory.resolve("backup");
    try (MessageQueue<String> queue = builder().backup(backups, Duration.ZERO).open()) {
      Subscriber<String> reader = queue.subscriber("reader");
      publish(queue, "key", "one");
      notes(queue, 49);
      publish(queue, "key", "");
      notes(queue, 60);
      for (var next = reader.next(); next != null; next = reader.next()) {
        // all are completed
      }
      await()
          .until(
              () -> {
                time.advance(Duration.ofMillis(200));
                return queue.stats().archived() == 2;
              });
    }
    Path file = BackupFiles.scan(backups.resolve("states")).blocks().get(0).file();
    Path seal = file.resolveSibling("b00000001.seal");
    Path aside = directory.resolve("aside");
    Files.move(seal, aside);
    Files.createSymbolicLink(seal, seal); // is there, and cannot be opened
    try (MessageQueue<String> queue = builder().backup(backups, Duration.ZERO).open()) {
      assertThatThrownBy(() -> compact(queue))
          .isInstanceOf(RiverException.class)
          .hasMessageContaining("cannot be read now");
      Files.move(aside, seal, StandardCopyOption.ATOMIC_MOVE); // housekeeping looks at it, too
      assertThat(of(queue, "key")).containsExactly("one", "");
      assertThat(compact(queue)).isEqualTo(2);
      assertThat(of(queue, "key")).isEmpty();
    }
  }
}
