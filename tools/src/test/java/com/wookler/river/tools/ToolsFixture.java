package com.wookler.river.tools;

import static org.awaitility.Awaitility.await;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.SizeBasedRecycle;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;

/** A queue with something of everything, its backups, and what the commands print. */
abstract class ToolsFixture {
  static final int MESSAGES = 60;

  @TempDir Path directory;

  final ByteArrayOutputStream out = new ByteArrayOutputStream();
  final ByteArrayOutputStream err = new ByteArrayOutputStream();

  int run(Object... args) {
    out.reset();
    err.reset();
    return Main.run(out, err, Stream.of(args).map(Object::toString).toArray(String[]::new));
  }

  String out() {
    return out.toString(StandardCharsets.UTF_8);
  }

  String err() {
    return err.toString(StandardCharsets.UTF_8);
  }

  Path data() {
    return directory.resolve("data");
  }

  Path own() {
    return data().resolve("orders");
  }

  Path backups() {
    return directory.resolve("backup").resolve("orders");
  }

  MessageQueue.Builder<byte[]> builder(Path base) {
    return MessageQueue.builder("orders", MessageConverter.bytes())
        .directory(base)
        .maxMessageBytes(16 << 10)
        .blockBytes(256 << 10)
        .keyIndex(true)
        .recycle(SizeBasedRecycle.ofMessages(10));
  }

  MessageQueue<byte[]> open() {
    return builder(data()).backup(directory.resolve("backup"), Duration.ZERO).open();
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Sequences 0 to 59 in blocks of 10: single ones, and a batch of three in each block. */
  static void publish(MessageQueue<byte[]> queue) {
    while (queue.stats().nextSequence() < MESSAGES) {
      long next = queue.stats().nextSequence();
      if (next % 10 == 4) {
        queue
            .publisher()
            .putAll(
                List.of(message(next), message(next + 1), message(next + 2)), Durability.MEMORY);
      } else {
        queue.publisher().publish(message(next));
      }
    }
  }

  static Message<byte[]> message(long sequence) {
    return sequence % 2 == 0
        ? Message.of(bytes("message " + sequence))
        : Message.of(new byte[] {(byte) 0xFF, (byte) sequence})
            .withKey("key " + sequence)
            .withId("id " + sequence)
            .withHeader("trace", bytes("t" + sequence));
  }

  /** What a queue without backup leaves: six blocks, two subscribers in the middle. */
  void makeQueue() {
    try (MessageQueue<byte[]> queue = builder(data()).open()) {
      subscribeAndPublish(queue, 0);
    }
  }

  /** Likewise, of which four blocks have gone into the backup. */
  void makeQueueWithBackups() {
    try (MessageQueue<byte[]> queue = open()) {
      subscribeAndPublish(queue, 42);
      await().until(() -> queue.stats().firstSequence() == 40);
    }
  }

  private static void subscribeAndPublish(MessageQueue<byte[]> queue, int finished) {
    Subscriber<byte[]> billing =
        queue.subscriber(SubscriberConfig.builder("billing").ack(true).build());
    Subscriber<byte[]> audit = queue.subscriber("audit");
    publish(queue);
    List<Delivery<byte[]>> taken = new ArrayList<>();
    for (int i = 0; i < finished + 8; i++) {
      taken.add(billing.next());
      audit.next();
    }
    taken.subList(0, finished).forEach(Delivery::ack);
    taken.get(finished + 3).ack();
    taken.get(finished + 5).ack();
    queue.force();
  }

  /** All files with a name like this, in order. */
  static List<Path> files(Path root, String pattern) {
    try (Stream<Path> all = Files.walk(root)) {
      return all.filter(Files::isRegularFile)
          .filter(file -> file.getFileName().toString().matches(pattern))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Names, times of change and content of everything below. */
  static Map<Path, String> content(Path root) {
    Map<Path, String> content = new HashMap<>();
    try (Stream<Path> all = Files.walk(root)) {
      for (Path file : all.toList()) {
        String bytes = Files.isRegularFile(file) ? hash(file) : "";
        content.put(file, Files.getLastModifiedTime(file) + " " + bytes);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return content;
  }

  private static String hash(Path file) throws IOException {
    return Arrays.hashCode(Files.readAllBytes(file)) + " " + Files.size(file);
  }

  static void flip(Path file, long offset) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[(int) offset] ^= 0x10;
    Files.write(file, bytes);
  }

  /** Where this text stands in the file. */
  static long find(Path file, String text) throws IOException {
    return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).indexOf(text);
  }
}
