package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.Directories;
import com.wookler.river.core.log.RecycleStrategy;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.QueueFailedException;
import com.wookler.river.core.subscriber.DurableSubscriber;
import com.wookler.river.testing.Aside;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Closing that fails, and calls that found a queue running and go on when it is closed. */
class RunningQueueTest {
  @TempDir Path directory;

  private RunningQueue<String> open() {
    return open(QueueConfig.WHEN_FULL, null);
  }

  private RunningQueue<String> open(RecycleStrategy recycle, @Nullable Path backup) {
    MessageQueue.Builder<String> settings =
        MessageQueue.builder("orders", MessageConverter.utf8())
            .directory(directory)
            .recycle(recycle)
            .set(QueueOptions.BACKUP_DIRECTORY, backup);
    return new RunningQueue<>(settings.config(), new Listeners(), true, () -> {});
  }

  @Test
  @SuppressWarnings("try") // it only has to be there
  void shouldSayWhenTheDirectoryCannotBeDeleted() throws IOException {
    MessageQueue<String> queue =
        MessageQueue.builder("orders", MessageConverter.utf8()).directory(directory).open();
    Path own = directory.resolve("orders");
    try (Undeletable stays = Undeletable.in(own, directory)) {
      assertThatThrownBy(queue::delete)
          .isInstanceOf(RiverException.class)
          .hasMessageContaining("orders")
          .hasMessageContaining("delete");
      stays.movedTo(renamed());
      assertThat(own).doesNotExist();
      assertThat(queue.state()).isEqualTo(QueueState.STOPPED);
      queue.close();
    }
  }

  private Path renamed() throws IOException {
    return Directories.list(directory, name -> name.startsWith("orders.discarded-")).get(0);
  }

  @Test
  void shouldSayAtTheCloseThatTheLogHasFailed() throws IOException {
    MessageQueue<String> queue =
        MessageQueue.builder("orders", MessageConverter.utf8())
            .directory(directory)
            .recycle(SizeBasedRecycle.ofMessages(1))
            .open();
    DataDirectory.deleteTree(directory.resolve("orders/log"));
    queue.publisher().publish("m0");
    await().until(() -> queue.state() == QueueState.FAILED);
    assertThatThrownBy(queue::close).isInstanceOf(QueueFailedException.class);
    assertThat(queue.state()).isEqualTo(QueueState.STOPPED);
    queue.close();
  }

  @Test
  void shouldFindWhatGoesIntoTheBackupMeanwhile() throws Exception {
    RunningQueue<String> queue = open(SizeBasedRecycle.ofMessages(1), directory.resolve("backup"));
    try {
      DurableSubscriber<String> audit = queue.subscribers().open("audit");
      queue.publisher().publish("m0");
      queue.publisher().publish("m1");
      CompletableFuture<OptionalLong> found;
      queue.lookup().shared.lock.lock();
      try {
        found = Aside.supply(() -> queue.lookup().sequenceAt(Instant.EPOCH));
        await().until(() -> queue.lookup().shared.lock.hasQueuedThreads()); // the backup was asked
        assertThat(audit.next()).isNotNull();
        await().until(() -> queue.log().firstSequence() == 1);
      } finally {
        queue.lookup().shared.lock.unlock();
      }
      assertThat(found.get()).hasValue(0);
    } finally {
      queue.close(false);
    }
  }

  @Test
  void shouldNotRemoveASubscriberOfTheNextRun() {
    RunningQueue<String> first = open();
    first.subscribers().open("audit");
    first.close(false);
    RunningQueue<String> second = open();
    try {
      second.subscribers().open("audit");
      assertThatThrownBy(() -> first.subscribers().remove("audit"))
          .isInstanceOf(QueueClosedException.class);
      assertThat(directory.resolve("orders/subscribers/audit/subscriber.json")).exists();
    } finally {
      second.close(false);
    }
  }
}
