package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.TimeSource;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueClosedException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls that found a queue running and go on when it is closed. */
class RunningQueueTest {
  @TempDir Path directory;

  private RunningQueue<String> open() {
    return new RunningQueue<>(
        new QueueConfig<>(
            "orders",
            directory,
            MessageConverter.utf8(),
            QueueConfig.WHEN_FULL,
            QueueConfig.DEFAULT_BLOCK_BYTES,
            QueueConfig.DEFAULT_MAX_MESSAGE_BYTES,
            QueueConfig.DEFAULT_SYNC_INTERVAL,
            true,
            QueueConfig.DEFAULT_DISCARDED_RETENTION,
            null,
            null,
            List.of(),
            TimeSource.system()),
        new Listeners());
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
