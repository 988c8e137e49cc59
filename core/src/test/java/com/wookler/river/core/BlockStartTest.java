package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A kill while a block starts must not cost the sequence, which nothing else may carry on. */
class BlockStartTest {
  private static final int HEADER = 4;

  @TempDir Path directory;

  private MessageQueue<String> open() {
    return MessageQueue.builder("start", MessageConverter.utf8())
        .directory(directory)
        .maxMessageBytes(64 << 10)
        .blockBytes(256 << 10)
        .recycle(SizeBasedRecycle.ofMessages(10))
        .open();
  }

  private Path block(int number) {
    return directory.resolve("start").resolve("log").resolve("b0000000" + number + ".cq4");
  }

  /** Leaves a full block 1 and a block 2 without messages. */
  private void publishOneBlock() {
    try (MessageQueue<String> queue = open()) {
      queue.subscriber("audit");
      for (int i = 0; i < 10; i++) {
        queue.publisher().publish("m" + i);
      }
    }
  }

  private void consumeAll(int messages, int blocks) {
    try (MessageQueue<String> queue = open()) {
      Subscriber<String> audit = queue.subscriber("audit");
      for (int i = 0; i < messages; i++) {
        assertThat(audit.next().data()).isEqualTo("m" + i);
      }
      assertThat(audit.next()).isNull();
      await().atMost(Duration.ofSeconds(60)).until(() -> queue.stats().blocks() == blocks);
    }
  }

  private static long startOf(Path block) throws IOException {
    String text = new String(Files.readAllBytes(block), StandardCharsets.ISO_8859_1);
    long magic = text.indexOf("RIVBLOC1");
    assertThat(magic).isPositive();
    return magic - HEADER;
  }

  @Test
  void shouldGoOnWithTheSequenceWhenKilledBeforeABlocksStart() throws Exception {
    publishOneBlock();
    try (FileChannel channel = FileChannel.open(block(2), StandardOpenOption.WRITE)) {
      long start = startOf(block(2));
      channel.write(ByteBuffer.allocate((int) (channel.size() - start)), start);
    }
    consumeAll(10, 1);
    assertThat(block(1)).doesNotExist();
    expectNext(10);
  }

  @Test
  void shouldKeepTheOnlyBlockWhenKilledInItsFirstDocument() throws Exception {
    publishOneBlock();
    consumeAll(10, 1);
    assertThat(block(1)).doesNotExist();
    try (FileChannel channel = FileChannel.open(block(2), StandardOpenOption.WRITE)) {
      ByteBuffer unfinished = ByteBuffer.allocate(100).order(ByteOrder.LITTLE_ENDIAN);
      unfinished.putInt(0, 0x8000_0000 | 200).putInt(20, 42);
      channel.write(unfinished, startOf(block(2)) + HEADER + 48);
    }
    open().close();
    assertThat(block(2)).exists();
    expectNext(10);
  }

  private void expectNext(int sequence) {
    for (int i = 0; i < 35; i++) {
      try (MessageQueue<String> queue = open()) {
        assertThat(queue.publisher().publish("next " + i)).isEqualTo(sequence + i);
      }
    }
    try (MessageQueue<String> queue = open()) {
      Subscriber<String> audit = queue.subscriber("audit");
      for (int i = 0; i < 35; i++) {
        Delivery<String> delivery = audit.next();
        assertThat(delivery.sequence()).isEqualTo(sequence + i);
        assertThat(delivery.data()).isEqualTo("next " + i);
      }
    }
  }
}
