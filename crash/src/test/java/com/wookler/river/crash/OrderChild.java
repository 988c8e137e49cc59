package com.wookler.river.crash;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A power loss that took messages, but not their acknowledgements, as the kernel may write these
 * first: what is published next must not take sequences that count as finished.
 */
final class OrderChild {
  static final String RIGHT = "the new message got a sequence of its own";
  static final String WRONG = "the new message got a sequence that was finished";

  private static final Logger LOG = LoggerFactory.getLogger(OrderChild.class);
  private static final int MESSAGES = 10;

  private OrderChild() {}

  /** Argument: directory. */
  public static void main(String[] args) throws Exception {
    Path directory = Path.of(args[0]);
    Path log = directory.resolve("order").resolve("log");
    Path before = directory.resolveSibling("before");
    publishAndAck(directory);
    copy(log, before);
    long finished = publishAndAck(directory);
    delete(log);
    copy(before, log);
    try (MessageQueue<String> queue = open(directory)) {
      Subscriber<String> billing = billing(queue);
      long sequence = queue.publisher().publish("new");
      Delivery<String> delivered = billing.next();
      boolean right = sequence > finished && delivered != null && delivered.data().equals("new");
      LOG.warn("{}: {} behind {}, {}", right ? RIGHT : WRONG, sequence, finished, delivered);
    }
  }

  /** Returns the highest sequence. */
  private static long publishAndAck(Path directory) throws InterruptedException {
    try (MessageQueue<String> queue = open(directory)) {
      Subscriber<String> billing = billing(queue);
      long last = 0;
      for (int i = 0; i < MESSAGES; i++) {
        last = queue.publisher().publish("m" + i);
      }
      billing.ack(billing.batch(MESSAGES, Duration.ZERO));
      return last;
    }
  }

  private static Subscriber<String> billing(MessageQueue<String> queue) {
    return queue.subscriber(SubscriberConfig.builder("billing").ack(true).build());
  }

  private static MessageQueue<String> open(Path directory) {
    return MessageQueue.builder("order", MessageConverter.utf8()).directory(directory).open();
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    for (Path file : files(from)) {
      if (Files.isRegularFile(file)) {
        Files.copy(file, to.resolve(from.relativize(file)));
      }
    }
  }

  private static void delete(Path directory) throws IOException {
    for (Path file : files(directory)) {
      Files.delete(file);
    }
  }

  private static List<Path> files(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.sorted(Comparator.reverseOrder()).toList();
    }
  }
}
