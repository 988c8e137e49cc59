package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.testing.DirectoryCopy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A block with more messages than three of Chronicle's indexes have entries for. Where an index
 * begins depends on the sizes of all messages before it.
 */
@Timeout(120)
class ManyMessagesInABlockTest {
  private static final int MESSAGES = 200_000;
  private static final SubscriberConfig ALL = SubscriberConfig.builder("all").ack(true).build();

  @TempDir Path directory;
  private final List<Integer> archived = new CopyOnWriteArrayList<>();

  private MessageQueue.Builder<byte[]> queue(Path data) {
    return MessageQueue.builder("orders", MessageConverter.bytes())
        .directory(data)
        .recycle(SizeBasedRecycle.ofMessages(MESSAGES))
        .backup(directory.resolve("backup"), Duration.ofDays(1));
  }

  private final class Archived implements QueueListener {
    @Override
    public void blockArchived(int block, long first, long messages, Path backup) {
      archived.add(block);
    }
  }

  private static byte[] message(int number, int more) {
    byte[] data = new byte[8 + (number == 0 ? more : 0)];
    ByteBuffer.wrap(data).putInt(number);
    return data;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 4})
  void shouldReadArchiveAndRecoverThemWhereverItsIndexesBegin(int more)
      throws IOException, InterruptedException {
    try (MessageQueue<byte[]> queue = queue(directory.resolve("data")).open()) {
      queue.addListener(new Archived());
      Subscriber<byte[]> subscriber = queue.subscriber(ALL);
      for (int i = 0; i < MESSAGES; i++) {
        queue.publisher().publish(message(i, more));
      }
      for (int i = 0; i < MESSAGES; i += 997) {
        assertThat(queue.read(i).orElseThrow().data()).isEqualTo(message(i, more));
      }
      DirectoryCopy.of(directory.resolve("data/orders"), directory.resolve("killed/orders"));
      AllMessages.shouldCome(subscriber, MESSAGES, i -> message(i, more));
      await().until(() -> archived.size() == 1);
      assertThat(queue.stats().lostEver()).isZero();
    }
    try (MessageQueue<byte[]> queue = queue(directory.resolve("killed")).open()) {
      AllMessages.shouldCome(queue.subscriber(ALL), MESSAGES, i -> message(i, more));
      assertThat(queue.stats().lostEver()).isZero();
    }
  }
}
