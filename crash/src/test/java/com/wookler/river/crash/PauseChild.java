package com.wookler.river.crash;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.StaleReceiptException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Holds a delivery while it is stopped, and then acks it, behind a consumer that was quicker. */
final class PauseChild {
  static final String RIGHT = "the first receipt was refused, the second finished the message";

  private static final Logger LOG = LoggerFactory.getLogger(PauseChild.class);

  private PauseChild() {}

  /** Arguments: directory, a file that it makes, a file that it waits for. */
  public static void main(String[] args) throws Exception {
    try (MessageQueue<String> queue =
        MessageQueue.builder("pause", MessageConverter.utf8()).directory(Path.of(args[0])).open()) {
      Subscriber<String> billing =
          queue.subscriber(
              SubscriberConfig.builder("billing")
                  .ack(true)
                  .ackTimeout(Scenario.ACK_TIMEOUT)
                  .build());
      queue.publisher().publish("once");
      Delivery<String> first = billing.next();
      Files.createFile(Path.of(args[1]));
      Waiting.until(Waiting.RESUMED, () -> Files.exists(Path.of(args[2])));
      Delivery<String> second = billing.next(Duration.ofSeconds(5));
      boolean refused = false;
      try {
        first.ack();
      } catch (StaleReceiptException e) {
        refused = true;
      }
      second.ack();
      boolean right = refused && second.attempt() == 2 && billing.stats().lag() == 0;
      LOG.warn("{}: {}, {}", right ? RIGHT : "wrong", second, billing.stats());
    }
  }
}
