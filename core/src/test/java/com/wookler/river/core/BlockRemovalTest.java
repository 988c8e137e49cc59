package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A block's file that cannot be deleted: those behind it wait, and nothing is called lost. */
@Timeout(60)
class BlockRemovalTest {
  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));
  private MessageQueue<String> queue;
  private Path aside;

  @BeforeEach
  void finishThreeBlocksOfWhichTheFirstCannotBeDeleted() throws IOException {
    queue = open();
    List<Delivery<String>> got = new ArrayList<>();
    Subscriber<String> subscriber =
        queue.subscriber(SubscriberConfig.builder("billing").ack(true).build());
    for (int i = 0; i < 35; i++) {
      queue.publisher().publish("m" + i);
      got.add(subscriber.next());
    }
    queue.force();
    aside = Files.move(block(1), directory.resolve("aside"));
    Files.createDirectory(block(1));
    Files.createFile(block(1).resolve("file"));
    got.forEach(Delivery::ack);
    await().until(() -> queue.stats().firstSequence() == 30);
    queue.force(); // behind what the flusher was to delete
  }

  @AfterEach
  void close() {
    queue.close();
  }

  private MessageQueue<String> open() {
    return MessageQueue.builder("orders", MessageConverter.utf8())
        .directory(directory)
        .recycle(SizeBasedRecycle.ofMessages(10))
        .timeSource(time)
        .open();
  }

  private Path block(int number) {
    return directory.resolve("orders/log/b0000000" + number + ".cq4");
  }

  private void putBack() throws IOException {
    Files.delete(block(1).resolve("file"));
    Files.delete(block(1));
    Files.move(aside, block(1));
  }

  @Test
  void shouldDeleteInOrderOnceItCan() throws IOException {
    assertThat(block(2)).exists();
    assertThat(block(3)).exists();
    putBack();
    time.advance(Duration.ofSeconds(1));
    await().untilAsserted(() -> assertThat(block(3)).doesNotExist());
    assertThat(block(2)).doesNotExist();
    assertThat(block(1)).doesNotExist();
    assertThat(block(4)).exists();
  }

  @Test
  void shouldCallNothingLostWhenItIsOpenedBefore() throws IOException {
    queue.close();
    putBack();
    queue = open();
    assertThat(queue.stats().lost()).isZero();
    queue.subscriber(SubscriberConfig.builder("billing").ack(true).build());
    await().untilAsserted(() -> assertThat(block(3)).doesNotExist());
    assertThat(queue.stats().firstSequence()).isEqualTo(30);
  }
}
