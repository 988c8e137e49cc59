package com.wookler.river.crash;

import com.wookler.river.core.FullPolicy;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.crash.Journal.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/** Works on a queue until it is killed, or until a message kills it. */
final class DeliveryChild {
  static final String QUEUE = "orders";
  static final String POISON = "poison";
  static final int LIMIT = 100;
  static final int DELIVERIES = 2;
  static final SubscriberConfig BILLING =
      SubscriberConfig.builder("billing").ack(true).maxDeliveries(DELIVERIES).build();

  private DeliveryChild() {}

  static MessageQueue<String> dedup(Path directory) {
    return MessageQueue.builder(QUEUE, MessageConverter.utf8())
        .directory(directory)
        .deduplicate(Duration.ofHours(1))
        .syncInterval(Duration.ofMillis(10))
        .open();
  }

  static MessageQueue<String> limited(Path directory) {
    return MessageQueue.builder(QUEUE, MessageConverter.utf8())
        .directory(directory)
        .maxMessages(LIMIT)
        .whenFull(FullPolicy.DISCARD_OLDEST, Duration.ZERO)
        .open();
  }

  static MessageQueue<String> plain(Path directory) {
    return MessageQueue.builder(QUEUE, MessageConverter.utf8()).directory(directory).open();
  }

  /** Arguments: what to do, directory, journal, first number. */
  public static void main(String[] args) throws Exception {
    Path directory = Path.of(args[1]);
    Journal journal = new Journal(Path.of(args[2]));
    long first = Long.parseLong(args[3]);
    switch (args[0]) {
      case "dedup" -> publish(dedup(directory), journal, first);
      case "limited" -> publish(limited(directory), journal, first);
      default -> consume(plain(directory), journal);
    }
  }

  private static void publish(MessageQueue<String> queue, Journal journal, long first) {
    for (long number = first; ; number++) {
      Message<String> message = Message.of("m" + number).withId("id-" + number);
      long sequence = queue.publisher().put(message, Durability.MEMORY).sequence();
      journal.append(Kind.PUBLISHED, number, 1, sequence);
    }
  }

  /** Ends when it has been given a message that ends the process, or when there is none. */
  private static void consume(MessageQueue<String> queue, Journal journal) throws IOException {
    Subscriber<String> billing = queue.subscriber(BILLING);
    for (Delivery<String> next = billing.next(); next != null; next = billing.next()) {
      journal.append(Kind.DELIVERED, next.sequence(), next.attempt(), 0);
      if (next.data().equals(POISON)) {
        Runtime.getRuntime().halt(ChildProcess.KILLED);
      }
      next.ack();
    }
    if (!Waiting.until(Waiting.RESUMED, () -> billing.stats().lag() == 0)) {
      throw new IllegalStateException("the message that is given up has no letter");
    }
    Runtime.getRuntime().halt(0); // without a close
  }
}
