package com.wookler.river.crash;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.SizeBasedRecycle;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Subscriber;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Publishes numbers in a row until it is killed, each for one of a few keys or to delete it, and
 * compacts: in the background, and now and then at once. What has returned is in a file.
 */
final class CompactionChild {
  static final int KEYS = 37;

  private CompactionChild() {}

  static String key(long number) {
    return "k" + number * 31 % KEYS;
  }

  /** Returns the data of a number; empty where it deletes its key. */
  static String data(long number) {
    return number % 11 == 0 ? "" : "n" + number + "x".repeat((int) (number % 100));
  }

  /** Opens the queue, whose completed blocks stay in the log, or go to backups. */
  static MessageQueue<String> open(Path directory, boolean backup) {
    MessageQueue.Builder<String> builder =
        MessageQueue.builder("states", MessageConverter.utf8())
            .directory(directory.resolve("data"))
            .blockBytes(1 << 20)
            .maxMessageBytes(16 << 10)
            .syncInterval(Duration.ofMillis(20))
            .recycle(SizeBasedRecycle.ofMessages(300))
            .keyIndex(true)
            .compact(true)
            .compactBytes(100_000)
            .compactDeletesAge(Duration.ofMillis(300));
    return (backup ? builder.backup(directory.resolve("backup"), Duration.ZERO) : builder).open();
  }

  /** Arguments: directory, file of what was done, first number, whether there are backups. */
  @SuppressWarnings("InfiniteLoopStatement")
  public static void main(String[] args) throws Exception {
    try (MessageQueue<String> queue = open(Path.of(args[0]), Boolean.parseBoolean(args[3]));
        OutputStream done = new FileOutputStream(args[1], true)) {
      Subscriber<String> reader = queue.subscriber("reader");
      for (long number = Long.parseLong(args[2]); ; number++) {
        queue.publisher().publish(Message.of(data(number)).withKey(key(number)));
        done.write((number + "\n").getBytes(StandardCharsets.US_ASCII));
        while (reader.next() != null) {
          // completed
        }
        if (number % 500 == 0) {
          queue.compact();
        }
      }
    }
  }
}
