package com.wookler.river.crash;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.DeadLetters;
import com.wookler.river.core.subscriber.Subscriber;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** Drops the second of three dead letters, says so, and waits until its power is cut. */
final class DeadLetterRemovalChild {
  private DeadLetterRemovalChild() {}

  /** Arguments: directory of the queue, and the file that says that the letter is dropped. */
  public static void main(String[] args) throws Exception {
    try (MessageQueue<String> orders = open(Path.of(args[0]))) {
      Subscriber<String> billing = DeadLetterMovesChild.billing(orders);
      for (int i = 0; i < 3; i++) {
        orders.publisher().publish(String.valueOf(i));
      }
      DeadLetterMovesChild.rejectAll(billing);
      while (billing.stats().lag() > 0) {
        Thread.sleep(1);
      }
      DeadLetters<String> letters = billing.deadLetters();
      if (letters.remove(letters.peek(3).get(1).sequence())) {
        Files.createFile(Path.of(args[1]));
      }
      ChildProcess.endWithParent();
    }
  }

  /** Opens it with no force but those that are asked for. */
  static MessageQueue<String> open(Path directory) {
    return MessageQueue.builder("orders", MessageConverter.utf8())
        .directory(directory)
        .syncInterval(Duration.ofHours(1))
        .open();
  }
}
