package com.wookler.river.crash;

import com.wookler.river.core.CancelResult;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.SizeBasedRecycle;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Publishes numbers in a row until it is killed, and takes some of them back: cancels, removes or
 * replaces them. What has returned is in a file.
 */
final class RemovalChild {
  static final int KINDS = 6;

  private RemovalChild() {}

  static boolean isRemoved(long number) {
    return number % KINDS == 1 || number % KINDS == 2 || number % KINDS == 3;
  }

  static boolean isReplaced(long number) {
    return number % KINDS == 4;
  }

  static MessageQueue<String> open(Path directory) {
    return MessageQueue.builder("orders", MessageConverter.utf8())
        .directory(directory)
        .maxMessageBytes(16 << 10)
        .syncInterval(Duration.ofMillis(20))
        .recycle(SizeBasedRecycle.ofMessages(300))
        .deduplicate(Duration.ofDays(1))
        .subscriber(SubscriberConfig.builder("reader").ack(true).build())
        .open();
  }

  /** Arguments: directory, file of what was done, first number. */
  @SuppressWarnings("InfiniteLoopStatement")
  public static void main(String[] args) throws Exception {
    try (MessageQueue<String> queue = open(Path.of(args[0]));
        OutputStream done = new FileOutputStream(args[1], true)) {
      for (long number = Long.parseLong(args[2]); ; number++) {
        Message<String> message = Message.of("n" + number).withId("i" + number);
        long sequence =
            queue
                .publisher()
                .publish(number % KINDS == 3 ? message.deliverAfter(Duration.ofDays(2)) : message);
        boolean expected =
            switch ((int) (number % KINDS)) {
              case 1, 3 -> queue.tryCancel(sequence) == CancelResult.CANCELLED;
              case 2 -> queue.delete(sequence, sequence + 1) == 1;
              case 4 ->
                  queue.tryReplace("i" + number, Message.of("r" + number)).replaced()
                      == CancelResult.CANCELLED;
              default -> true;
            };
        if (!expected) {
          throw new IllegalStateException("number " + number);
        }
        write(done, number);
      }
    }
  }

  private static void write(OutputStream done, long number) throws IOException {
    done.write((number + "\n").getBytes(StandardCharsets.US_ASCII));
  }
}
