package com.wookler.river.crash;

import com.wookler.river.common.MonitoredThread;
import com.wookler.river.common.TimeSource;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.SizeBasedRecycle;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.crash.Journal.Kind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes messages with keys, some of them delayed, some at DISK, into a queue that forwards them
 * to another, and takes them with two threads in the order of their keys, giving some back for
 * later, until it ends.
 */
final class VariedChild {
  static final int KEYS = 7;
  static final long CLOCKS_DIFFER_MILLIS = 5; // from one process to the next

  private static final Logger LOG = LoggerFactory.getLogger(VariedChild.class);
  private static final int CONSUMERS = 2;
  private static final int TO_THE_DEVICE_ONE_OF = 10;
  private static final int LONGEST_DELAY = 1_500;
  private static final int LARGEST = 3_000;
  private static final int GIVEN_BACK_ONE_OF = 5;
  private static final long PAUSE_NANOS = 300_000;

  private VariedChild() {}

  static MessageQueue<String> target(Path base) {
    return builder(base, "audit").open();
  }

  /** To be opened behind its target. */
  static MessageQueue<String> source(Path base) {
    return builder(base, "orders")
        .forwardTo("audit")
        .backup(base.resolveSibling("backup"), Duration.ZERO)
        .open();
  }

  private static MessageQueue.Builder<String> builder(Path base, String name) {
    return MessageQueue.builder(name, MessageConverter.utf8())
        .directory(base)
        .maxMessageBytes(64 << 10)
        .blockBytes(1 << 20)
        .recycle(SizeBasedRecycle.ofMessages(200))
        .syncInterval(Duration.ofMillis(50));
  }

  static Subscriber<String> billing(MessageQueue<String> queue) {
    return queue.subscriber(
        SubscriberConfig.builder("billing")
            .ack(true)
            .ackTimeout(Duration.ofMinutes(1))
            .order(Order.KEY)
            .build());
  }

  /** Arguments: directory, journal of publishes, journal of deliveries, round, file to make. */
  public static void main(String[] args) throws Exception {
    Path base = Path.of(args[0]);
    int round = Integer.parseInt(args[3]);
    try {
      work(base, new Journal(Path.of(args[1])), new Journal(Path.of(args[2])), round);
      Files.createFile(Path.of(args[4]));
    } catch (Throwable e) {
      fail("opening", e);
    }
    ChildProcess.endWithParent();
  }

  @SuppressWarnings("MustBeClosedChecker") // it is ended, not closed
  private static void work(Path base, Journal published, Journal taken, int round) {
    target(base);
    MessageQueue<String> queue = source(base);
    Subscriber<String> billing = billing(queue);
    start("publisher", () -> publish(queue, round, published));
    for (int i = 0; i < CONSUMERS; i++) {
      start("consumer-" + i, () -> consume(billing, taken));
    }
  }

  private static void start(String name, Workload.Work work) {
    new MonitoredThread(
            name,
            () -> {
              try {
                work.step();
              } catch (Throwable e) {
                fail(name, e);
              }
            })
        .start();
  }

  private static void fail(String what, Throwable e) {
    LOG.error("{} failed", what, e);
    Runtime.getRuntime().halt(Workload.FAILED);
  }

  private static void publish(MessageQueue<String> queue, int round, Journal journal) {
    SplittableRandom random = new SplittableRandom(round);
    for (long number = 0; ; number++) {
      long id = (long) round << 32 | number;
      long delay = random.nextInt(4) > 0 ? 0 : 1 + random.nextInt(LONGEST_DELAY);
      Message<String> message =
          Message.of(id + "/" + delay + "/" + "x".repeat(random.nextInt(LARGEST)))
              .withKey("key " + id % KEYS)
              .deliverAfter(Duration.ofMillis(delay));
      boolean device = random.nextInt(TO_THE_DEVICE_ONE_OF) == 0;
      queue.publisher().put(message, device ? Durability.DISK : Durability.MEMORY);
      journal.append(Kind.PUBLISHED, id, delay, device ? 1 : 0);
      TimeSource.system().park(queue, PAUSE_NANOS);
    }
  }

  private static void consume(Subscriber<String> billing, Journal journal)
      throws InterruptedException {
    while (true) {
      Delivery<String> delivery = billing.next(Duration.ofSeconds(1));
      if (delivery != null) {
        take(delivery, journal);
      }
    }
  }

  /** Notes it before it is acked or given back, and so before the next of its key can come. */
  static void take(Delivery<String> delivery, Journal journal) {
    Duration since = Duration.between(delivery.publishedAt(), TimeSource.system().wallTime());
    if (since.toMillis() < delay(delivery) - CLOCKS_DIFFER_MILLIS) {
      throw new IllegalStateException(delivery + " came " + since + " after it was published");
    }
    long id = id(delivery);
    journal.append(Kind.DELIVERED, delivery.place(), delivery.attempt(), id);
    if (delivery.attempt() == 1 && id % GIVEN_BACK_ONE_OF == 0) {
      long later = 1 + id * 31 % LONGEST_DELAY;
      journal.append(Kind.NACKING, delivery.place(), later, id);
      delivery.nack(Duration.ofMillis(later));
      journal.append(Kind.NACKED, delivery.place(), later, id);
    } else {
      journal.append(Kind.ACKING, delivery.place(), delivery.attempt(), id);
      delivery.ack();
    }
  }

  /** What is published says who it is, and how long it is delayed. */
  static long id(Delivery<String> delivery) {
    return Long.parseLong(delivery.data().split("/", -1)[0]);
  }

  static long delay(Delivery<String> delivery) {
    return Long.parseLong(delivery.data().split("/", -1)[1]);
  }
}
