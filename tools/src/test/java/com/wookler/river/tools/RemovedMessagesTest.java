package com.wookler.river.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What was removed from a queue is in no copy of it, and its files are verified. */
class RemovedMessagesTest extends ToolsFixture {
  @BeforeEach
  void removeSome() {
    try (MessageQueue<byte[]> queue = builder(data()).open()) {
      for (int i = 0; i < 30; i++) {
        queue.publisher().publish(bytes("m" + i));
      }
      queue.tryCancel(3);
      queue.delete(5, 28);
    }
  }

  private List<String> content(Path base, String name) {
    try (MessageQueue<byte[]> queue =
        MessageQueue.builder(name, MessageConverter.bytes()).directory(base).open()) {
      return queue.read(0, 100).stream().map(Delivery::data).map(String::new).toList();
    }
  }

  @Test
  void shouldNotReplayWhatWasRemoved() {
    Path copies = directory.resolve("copies");
    assertThat(run("replay", own(), "--queue", "copy", "--to", copies)).as(err()).isZero();
    assertThat(content(copies, "copy")).containsExactly("m0", "m1", "m2", "m4", "m28", "m29");
  }

  @Test
  void shouldKeepItRemovedInASalvagedQueue() {
    Path target = directory.resolve("salvaged").resolve("orders");
    assertThat(run("salvage", own(), "--to", target)).as(err()).isZero();
    assertThat(content(directory.resolve("salvaged"), "orders"))
        .containsExactly("m0", "m1", "m2", "m4", "m28", "m29");
  }

  @Test
  void shouldReportDamageOfItsFiles() throws IOException {
    assertThat(run("verify", own())).as(out() + err()).isZero();
    Path file;
    try (Stream<Path> files = Files.list(own().resolve("removed"))) {
      file = files.findFirst().orElseThrow();
    }
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length - 30] ^= 1;
    Files.write(file, bytes);
    assertThat(run("verify", own())).isNotZero();
    assertThat(out()).contains("removed-", "is damaged at byte");
    Files.delete(file);
    assertThat(run("verify", own())).isNotZero();
    assertThat(out()).contains("has no file");
  }
}
