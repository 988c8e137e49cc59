package com.wookler.river.crash;

import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Publishes, changes a byte of the message in the block's file, and reads it. */
final class FlipChild {
  static final String RIGHT = "the changed byte was noticed";
  static final String WRONG = "the changed byte was delivered";

  private static final Logger LOG = LoggerFactory.getLogger(FlipChild.class);
  private static final String TEXT = "what was published, and nothing else";

  private FlipChild() {}

  /** Argument: directory. */
  public static void main(String[] args) throws Exception {
    Path directory = Path.of(args[0]);
    try (MessageQueue<String> queue = open(directory)) {
      for (int i = 0; i < 3; i++) {
        queue.publisher().publish(TEXT);
      }
    }
    Path block = directory.resolve("flip").resolve("log").resolve("b00000001.cq4");
    byte[] bytes = Files.readAllBytes(block);
    String content = new String(bytes, StandardCharsets.ISO_8859_1);
    int second = content.indexOf(TEXT, content.indexOf(TEXT) + 1);
    bytes[second] ^= 1;
    Files.write(block, bytes);
    try (MessageQueue<String> queue = open(directory)) {
      LOG.warn("{}: {}", queue.read(1).isEmpty() ? RIGHT : WRONG, queue.read(1));
    } catch (DamagedException e) {
      LOG.warn("{}: {}", RIGHT, e.getMessage());
    }
  }

  private static MessageQueue<String> open(Path directory) {
    return MessageQueue.builder("flip", MessageConverter.utf8()).directory(directory).open();
  }
}
