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
 * Publishes numbers in a row until it is killed, and erases each {@link #EVERY}-th of them, of the
 * active block, of closed ones, and of backups. What was erased is in a file.
 */
final class EraseChild {
  static final int EVERY = 5;

  private EraseChild() {}

  static boolean isSecret(long number) {
    return number % EVERY == 0;
  }

  static String data(long number) {
    return isSecret(number) ? "SECRET-" + number + "-" : "plain-" + number;
  }

  static MessageQueue<String> open(Path directory) {
    return MessageQueue.builder("orders", MessageConverter.utf8())
        .directory(directory.resolve("data"))
        .backup(directory.resolve("backup"), Duration.ZERO)
        .blockBytes(1 << 20)
        .maxMessageBytes(16 << 10)
        .syncInterval(Duration.ofMillis(20))
        .recycle(SizeBasedRecycle.ofMessages(100))
        .open();
  }

  /** Arguments: directory, file of what was erased, first number to publish, first to erase. */
  @SuppressWarnings("InfiniteLoopStatement")
  public static void main(String[] args) throws Exception {
    try (MessageQueue<String> queue = open(Path.of(args[0]));
        OutputStream done = new FileOutputStream(args[1], true)) {
      Subscriber<String> reader = queue.subscriber("reader");
      long erasing = Long.parseLong(args[3]);
      for (long number = Long.parseLong(args[2]); ; number++) {
        queue.publisher().publish(Message.of(data(number)).withKey(data(number)));
        while (reader.next() != null) {
          // completed
        }
        while (number - erasing >= number * 7 % 300) { // now new ones, now old ones
          queue.erase(erasing);
          done.write((erasing + "\n").getBytes(StandardCharsets.US_ASCII));
          erasing += EVERY;
        }
      }
    }
  }
}
