package com.wookler.river.crash;

import com.wookler.river.common.TimeSource;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;

/** Publishes messages of 100 bytes that nobody takes; or opens them and takes the first. */
final class BacklogChild {
  private static final int BATCH = 500;

  private BacklogChild() {}

  private static MessageQueue<byte[]> open(Path base) {
    return MessageQueue.builder("backlog", MessageConverter.bytes()).directory(base).open();
  }

  private static Subscriber<byte[]> billing(MessageQueue<byte[]> queue) {
    return queue.subscriber(SubscriberConfig.builder("billing").ack(true).build());
  }

  /** Arguments: directory, messages or 0 to open them, file to make. */
  public static void main(String[] args) throws Exception {
    Path base = Path.of(args[0]);
    long messages = Long.parseLong(args[1]);
    Path file = Path.of(args[2]);
    if (messages == 0) {
      recover(base, file);
    } else {
      publish(base, messages, file);
    }
  }

  private static void recover(Path base, Path file) throws Exception {
    long started = TimeSource.system().nanoTime();
    try (MessageQueue<byte[]> queue = open(base)) {
      Delivery<byte[]> first = billing(queue).next(Duration.ofSeconds(1));
      if (first == null || first.sequence() != 0) {
        throw new IllegalStateException("the first is " + first);
      }
      Openings.note(file, started);
      System.out.println(queue.stats().nextSequence() + " messages");
    }
  }

  /** Goes on when there are so many, until it is killed. */
  @SuppressWarnings("InfiniteLoopStatement")
  private static void publish(Path base, long messages, Path file) throws Exception {
    List<byte[]> batch = Collections.nCopies(BATCH, new byte[100]);
    try (MessageQueue<byte[]> queue = open(base)) {
      billing(queue);
      for (long published = BATCH; ; published += BATCH) {
        queue.publisher().publishAll(batch);
        if (published >= messages && published < messages + BATCH) {
          Files.createFile(file);
        }
        if (published >= messages) {
          TimeSource.system().park(queue, 1_000_000);
        }
      }
    }
  }
}
