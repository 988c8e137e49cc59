package com.wookler.river.crash;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.SizeBasedRecycle;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.forward.Redrive;
import com.wookler.river.forward.RedriveStatus;
import com.wookler.river.forward.Redrives;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;

/**
 * Publishes sequences and rejects each for two subscribers: the dead letters of one are redriven to
 * a queue if they are odd, those of the other go to a queue by themselves; until it is killed.
 */
final class DeadLetterMovesChild {
  static final String ODD = "headers['river.dead.reason'] == 'odd'";

  private DeadLetterMovesChild() {}

  /** Argument: directory. */
  @SuppressWarnings({"InfiniteLoopStatement", "try"}) // the targets only have to be there
  public static void main(String[] args) throws Exception {
    Path directory = Path.of(args[0]);
    Random random = new Random();
    try (MessageQueue<String> repair = open(directory, "repair");
        MessageQueue<String> dead = open(directory, "dead");
        MessageQueue<String> orders = open(directory, "orders")) {
      Subscriber<String> billing = billing(orders);
      Subscriber<String> shipping = shipping(orders);
      while (true) {
        for (int i = random.nextInt(200); i >= 0; i--) {
          orders.publisher().publish(String.valueOf(orders.stats().nextSequence()));
        }
        rejectAll(billing);
        rejectAll(shipping);
        redrive(orders);
      }
    }
  }

  static void rejectAll(Subscriber<String> subscriber) {
    for (Delivery<String> next = subscriber.next(); next != null; next = subscriber.next()) {
      next.reject(Long.parseLong(next.data()) % 2 == 0 ? "even" : "odd");
    }
  }

  /** Waits for those of earlier runs, then moves what is odd and waits for that. */
  static void redrive(MessageQueue<String> orders) throws InterruptedException {
    Redrives redrives = Redrives.of(orders);
    awaitAll(redrives);
    RedriveStatus unused = redrives.start(Redrive.of("billing").to("repair").matching(ODD));
    awaitAll(redrives);
  }

  private static void awaitAll(Redrives redrives) throws InterruptedException {
    while (!redrives.list().stream().allMatch(each -> each.state().isOver())) {
      Thread.sleep(1);
    }
  }

  static Subscriber<String> billing(MessageQueue<String> orders) {
    return orders.subscriber(SubscriberConfig.builder("billing").ack(true).build());
  }

  static Subscriber<String> shipping(MessageQueue<String> orders) {
    return orders.subscriber(
        SubscriberConfig.builder("shipping").ack(true).deadLetterQueue("dead").build());
  }

  static MessageQueue<String> open(Path directory, String name) {
    return MessageQueue.builder(name, MessageConverter.utf8())
        .directory(directory)
        .maxMessageBytes(16 << 10)
        .syncInterval(Duration.ofMillis(5))
        .recycle(SizeBasedRecycle.ofMessages(200))
        .open();
  }
}
