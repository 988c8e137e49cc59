package com.wookler.river.crash;

import com.wookler.river.common.MonitoredThread;
import com.wookler.river.core.FullPolicy;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.SizeBasedRecycle;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Publishes, and continues each message by two in another queue, until it is killed; with "finish",
 * continues what there is and ends.
 *
 * <p>Arguments: directory, a file that it makes when some are through, "finish" or "run".
 */
final class ContinueChild {
  private static final int CONSUMERS = 3;

  private ContinueChild() {}

  static MessageQueue<String> orders(Path directory) {
    return MessageQueue.builder("orders", MessageConverter.utf8())
        .directory(directory)
        .recycle(SizeBasedRecycle.ofMessages(150))
        .maxMessages(200)
        .whenFull(FullPolicy.BLOCK, Duration.ofMinutes(1))
        .open();
  }

  static MessageQueue<String> parcels(Path directory) {
    return MessageQueue.builder("parcels", MessageConverter.utf8()).directory(directory).open();
  }

  static Subscriber<String> packing(MessageQueue<String> orders) {
    return orders.subscriber(SubscriberConfig.builder("packing").ack(true).build());
  }

  public static void main(String[] args) throws Exception {
    Path directory = Path.of(args[0]);
    Path begun = Path.of(args[1]);
    boolean finish = args[2].equals("finish");
    try (MessageQueue<String> parcels = parcels(directory);
        MessageQueue<String> orders = orders(directory)) {
      if (!finish) {
        new MonitoredThread("publisher", () -> publish(orders)).start();
      }
      Subscriber<String> packing = packing(orders);
      List<Thread> consumers = new ArrayList<>();
      for (int i = 0; i < CONSUMERS; i++) {
        Thread consumer =
            new MonitoredThread("consumer-" + i, () -> consume(packing, parcels, finish, begun));
        consumer.start();
        consumers.add(consumer);
      }
      for (Thread consumer : consumers) {
        consumer.join();
      }
    }
  }

  private static void publish(MessageQueue<String> orders) {
    for (long i = orders.stats().nextSequence(); ; i++) {
      orders.publisher().publish("m" + i);
    }
  }

  private static void consume(
      Subscriber<String> packing, MessageQueue<String> parcels, boolean finish, Path begun) {
    try {
      while (!finish || packing.stats().lag() > 0) {
        Delivery<String> next = packing.next(Duration.ofMillis(20));
        if (next != null) {
          String data = next.data();
          next.ackAndPublish(
              parcels, List.of(Message.of(data + ".1"), Message.of(data + ".2").withKey(data)));
          if (next.sequence() % 10 == 9 && !Files.exists(begun)) {
            Files.writeString(begun, "");
          }
        }
      }
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
