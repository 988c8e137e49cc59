package com.wookler.river.crash;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.SizeBasedRecycle;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Subscriber;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Publishes messages that say their own sequence, singly and in batches, and takes them, so that
 * blocks begin and leave all the time, until it is killed.
 */
final class ViewChild {
  static final int BLOCK = 100;

  private ViewChild() {}

  static MessageQueue<String> open(Path base, boolean backup) {
    MessageQueue.Builder<String> builder =
        MessageQueue.builder("orders", MessageConverter.utf8())
            .directory(base.resolve("data"))
            .maxMessageBytes(16 << 10)
            .blockBytes(256 << 10)
            .syncInterval(Duration.ofMillis(5))
            .recycle(SizeBasedRecycle.ofMessages(BLOCK));
    return backup
        ? builder.backup(base.resolve("backup"), Duration.ofDays(1)).open()
        : builder.open();
  }

  static Message<String> message(long sequence) {
    return Message.of(sequence + ":" + "x".repeat((int) (sequence % 500)));
  }

  /** Arguments: directory, whether there is a backup, a file that says that it has begun. */
  @SuppressWarnings("InfiniteLoopStatement")
  public static void main(String[] args) throws IOException {
    try (MessageQueue<String> queue = open(Path.of(args[0]), Boolean.parseBoolean(args[1]))) {
      Subscriber<String> subscriber = queue.subscriber("reader");
      Files.createFile(Path.of(args[2]));
      for (long next = queue.stats().nextSequence(); ; next = queue.stats().nextSequence()) {
        long sequence =
            next % 7 == 0
                ? queue
                    .publisher()
                    .putAll(
                        List.of(message(next), message(next + 1), message(next + 2)),
                        Durability.MEMORY)
                    .sequence()
                : queue.publisher().publish(message(next));
        if (sequence != next) {
          throw new IllegalStateException("sequence " + sequence + " for " + next);
        }
        while (subscriber.next() != null) {
          // completed by that
        }
        LockSupport.parkNanos(200_000);
      }
    }
  }
}
