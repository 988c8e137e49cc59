package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Each message that is lost counts once, and for good. */
@Timeout(120)
class LostFiguresTest {
  private static final int BLOCK = 40;

  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));
  private MessageQueue<String> queue;

  @AfterEach
  void close() {
    if (queue != null) {
      queue.close();
    }
  }

  private void open() {
    queue =
        MessageQueue.builder("orders", MessageConverter.utf8())
            .directory(directory)
            .recycle(SizeBasedRecycle.ofMessages(BLOCK))
            .timeSource(time)
            .open();
  }

  private void publish(int messages) {
    for (int i = 0; i < messages; i++) {
      queue.publisher().publish(String.format("message%4d", queue.stats().nextSequence()));
    }
  }

  private static int drain(Subscriber<String> subscriber) {
    int count = 0;
    for (Delivery<String> next = subscriber.next(); next != null; next = subscriber.next()) {
      count++;
    }
    return count;
  }

  private Path block(int number) {
    return directory.resolve("orders/log/b0000000" + number + ".cq4");
  }

  /** Overwrites the messages from one on up to the end of their block. */
  private void zero(int block, long from, long last) throws IOException {
    String content = Files.readString(block(block), StandardCharsets.ISO_8859_1);
    int start = content.indexOf(String.format("message%4d", from));
    int end = content.indexOf(String.format("message%4d", last)) + 11;
    assertThat(start).isPositive();
    try (FileChannel channel = FileChannel.open(block(block), StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.allocate(end - start), start);
    }
  }

  private void assertLost(long now, long ever) {
    assertThat(queue.stats().lost()).isEqualTo(now);
    assertThat(queue.stats().lostEver()).isEqualTo(ever);
  }

  @Test
  void shouldCountOnceWhatAReaderHasMetAndAnOpeningFindsAgain() throws IOException {
    open();
    Subscriber<String> audit = queue.subscriber("audit");
    queue.subscriber("slow");
    publish(BLOCK + 31); // the last in the active block, which has no seal
    queue.force();
    zero(2, BLOCK, BLOCK + 30);
    assertThat(drain(audit)).isEqualTo(BLOCK);
    assertLost(31, 31);
    queue.close();
    Files.delete(block(2)); // the opening finds that nothing holds them any more
    open();
    assertLost(31, 31);
    assertThat(drain(queue.subscriber("slow"))).isEqualTo(BLOCK);
    assertLost(31, 31);
    queue.close();
    open();
    assertLost(31, 31);
  }

  @Test
  void shouldCountOnForeverWhatItsBlockHasLost() throws IOException {
    open();
    Subscriber<String> audit = queue.subscriber("audit");
    publish(3 * BLOCK);
    zero(2, BLOCK + 3, BLOCK + 9);
    assertThat(drain(audit)).isEqualTo(3 * BLOCK - 7);
    assertThat(queue.stats().lostEver()).isEqualTo(7);
    publish(1);
    await().until(() -> queue.stats().firstSequence() >= 2 * BLOCK);
    assertLost(0, 7);
    queue.close();
    open();
    assertLost(0, 7);
  }

  @Test
  void shouldCountOnForeverWhatAnOpeningHasFoundToBeLost() throws IOException {
    open();
    queue.subscriber("audit");
    publish(3 * BLOCK);
    queue.force();
    queue.close();
    Files.delete(block(2));
    Files.deleteIfExists(directory.resolve("orders/log/b00000002.seal"));
    for (int i = 0; i < 2; i++) {
      open();
      assertLost(BLOCK, BLOCK);
      queue.close();
    }
    open();
    assertThat(drain(queue.subscriber("audit"))).isEqualTo(2 * BLOCK);
    publish(1);
    await().until(() -> queue.stats().firstSequence() >= 2 * BLOCK);
    queue.close();
    open();
    assertThat(queue.stats().lostEver()).isEqualTo(BLOCK);
  }
}
