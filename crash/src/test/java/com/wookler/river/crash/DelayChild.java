package com.wookler.river.crash;

import com.wookler.river.common.MonitoredThread;
import com.wookler.river.common.TimeSource;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.SizeBasedRecycle;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.crash.Journal.Kind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Publishes delayed messages and takes those that are due, until it is killed. */
final class DelayChild {
  private static final Logger LOG = LoggerFactory.getLogger(DelayChild.class);
  private static final long PAUSE_NANOS = 300_000;
  private static final long CLOCKS_DIFFER_MILLIS = 5; // from one process to the next

  private DelayChild() {}

  static MessageQueue<String> open(Path base) {
    return MessageQueue.builder("delays", MessageConverter.utf8())
        .directory(base)
        .maxMessageBytes(64 << 10)
        .blockBytes(1 << 20)
        .recycle(SizeBasedRecycle.ofMessages(200))
        .syncInterval(Duration.ofMillis(20))
        .open();
  }

  static Subscriber<String> billing(MessageQueue<String> queue) {
    return queue.subscriber(
        SubscriberConfig.builder("billing").ack(true).ackTimeout(Duration.ofMinutes(1)).build());
  }

  /** What is published says who it is, and how long it is delayed. */
  static Message<String> message(int round, long number, long delayMillis) {
    return Message.of(round + "/" + number + "/" + delayMillis)
        .deliverAfter(Duration.ofMillis(delayMillis));
  }

  /** Arguments: directory, journal of publishes, journal of deliveries, round, file to make. */
  public static void main(String[] args) throws Exception {
    MessageQueue<String> queue = open(Path.of(args[0]));
    int round = Integer.parseInt(args[3]);
    Journal published = new Journal(Path.of(args[1]));
    Journal delivered = new Journal(Path.of(args[2]));
    Subscriber<String> billing = billing(queue);
    SplittableRandom random = new SplittableRandom(round);
    new MonitoredThread("publisher", () -> publish(queue, round, published, random)).start();
    new MonitoredThread("consumer", () -> consume(billing, delivered)).start();
    Files.createFile(Path.of(args[4]));
    ChildProcess.endWithParent();
  }

  private static void publish(
      MessageQueue<String> queue, int round, Journal journal, SplittableRandom random) {
    try {
      for (long number = 0; ; number++) {
        long delay = random.nextInt(4) == 0 ? 0 : random.nextInt(random.nextBoolean() ? 50 : 3_000);
        long sequence = queue.publisher().publish(message(round, number, delay));
        journal.append(Kind.PUBLISHED, number, delay, sequence);
        TimeSource.system().park(queue, PAUSE_NANOS);
      }
    } catch (Throwable e) {
      LOG.error("publishing failed", e);
      Runtime.getRuntime().halt(Workload.FAILED);
    }
  }

  private static void consume(Subscriber<String> billing, Journal journal) {
    try {
      while (true) {
        Delivery<String> delivery = billing.next(Duration.ofSeconds(1));
        if (delivery != null) {
          take(delivery, journal);
        }
      }
    } catch (Throwable e) {
      LOG.error("consuming failed", e);
      Runtime.getRuntime().halt(Workload.FAILED);
    }
  }

  /** Notes it; it must not come before it is due. */
  static void take(Delivery<String> delivery, Journal journal) {
    String[] parts = delivery.data().split("/", -1);
    Duration since = Duration.between(delivery.publishedAt(), TimeSource.system().wallTime());
    if (since.toMillis() < Long.parseLong(parts[2]) - CLOCKS_DIFFER_MILLIS) {
      throw new IllegalStateException(delivery + " came " + since + " after it was published");
    }
    long id = id(Integer.parseInt(parts[0]), Long.parseLong(parts[1]));
    journal.append(Kind.DELIVERED, delivery.sequence(), delivery.attempt(), id);
    delivery.ack();
  }

  static long id(int round, long number) {
    return (long) round << 32 | number;
  }
}
