package com.wookler.river.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.QueueStats;
import com.wookler.river.core.SizeBasedRecycle;
import com.wookler.river.core.message.MessageConverter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** Small queues between which messages go, closed at the end, the last that was opened first. */
abstract class QueuesFixture {
  @TempDir Path directory;

  private final Deque<MessageQueue<String>> open = new ArrayDeque<>();

  @AfterEach
  void close() {
    while (!open.isEmpty()) {
      open.pop().close();
    }
  }

  MessageQueue.Builder<String> builder(String name) {
    return builder(directory, name);
  }

  static MessageQueue.Builder<String> builder(Path base, String name) {
    return MessageQueue.builder(name, MessageConverter.utf8())
        .directory(base)
        .maxMessageBytes(16 << 10)
        .blockBytes(256 << 10)
        .syncInterval(Duration.ofMillis(5))
        .recycle(SizeBasedRecycle.ofMessages(10));
  }

  /** Makes few blocks, so that a copy finds none that is being made. */
  static MessageQueue.Builder<String> large(Path base, String name) {
    return builder(base, name).recycle(SizeBasedRecycle.ofMessages(10_000));
  }

  MessageQueue<String> open(MessageQueue.Builder<String> builder) {
    MessageQueue<String> queue = builder.open();
    open.push(queue);
    return queue;
  }

  void shut(MessageQueue<String> queue) {
    open.remove(queue);
    queue.close();
  }

  static List<String> data(MessageQueue<String> queue) {
    QueueStats stats = queue.stats();
    List<String> all = new ArrayList<>();
    for (long at = stats.firstSequence(); at < stats.nextSequence(); at++) {
      queue.read(at).ifPresent(message -> all.add(message.data()));
    }
    return all;
  }

  static void awaitData(MessageQueue<String> queue, List<String> expected) {
    await().untilAsserted(() -> assertThat(data(queue)).isEqualTo(expected));
  }
}
