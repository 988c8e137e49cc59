package com.wookler.river.crash;

import com.wookler.river.common.MonitoredThread;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs in a small heap: one subscriber acks all that it is given but one message, while another one
 * gets everything; then the first acks that one too, and gets the rest.
 */
final class StuckChild {
  /** What it prints at the end if all was right. */
  static final String DONE = "StuckChild is done";

  private static final Logger LOG = LoggerFactory.getLogger(StuckChild.class);
  private static final long NEVER_ACKED = 1_000;
  private static final int WINDOW = 65_536;
  private static final int BATCH = 500;
  private static final int BYTES = 100;

  private StuckChild() {}

  /** Arguments: directory, number of messages. */
  public static void main(String[] args) {
    long messages = Long.parseLong(args[1]);
    try (MessageQueue<byte[]> queue =
        MessageQueue.builder("stuck", MessageConverter.bytes())
            .directory(Path.of(args[0]))
            .open()) {
      run(queue, messages);
    } catch (Throwable e) {
      LOG.error("failed", e);
      Runtime.getRuntime().halt(1);
    }
  }

  private static void run(MessageQueue<byte[]> queue, long messages) throws Exception {
    Subscriber<byte[]> stuck =
        queue.subscriber(
            SubscriberConfig.builder("stuck")
                .ack(true)
                .ackTimeout(Duration.ofHours(1))
                .window(WINDOW)
                .build());
    Subscriber<byte[]> other = queue.subscriber("other");
    MonitoredThread publisher = new MonitoredThread("publisher", () -> publish(queue, messages));
    publisher.start();
    Delivery<byte[]> held = null;
    long given = 0;
    long passed = 0;
    while (passed < messages) {
      for (Delivery<byte[]> delivery : other.batch(BATCH, Duration.ofSeconds(1))) {
        expect(delivery, passed++);
      }
      List<Delivery<byte[]>> due = new ArrayList<>();
      for (Delivery<byte[]> delivery : stuck.batch(BATCH, Duration.ZERO)) {
        expect(delivery, given++);
        if (delivery.sequence() == NEVER_ACKED) {
          held = delivery;
        } else {
          due.add(delivery);
        }
      }
      stuck.ack(due);
    }
    publisher.join();
    if (held == null || given > NEVER_ACKED + WINDOW + BATCH || stuck.next() != null) {
      throw new AssertionError("with one message stuck " + given + " were given");
    }
    long stoppedAt = given;
    held.ack();
    while (given < messages) {
      List<Delivery<byte[]>> deliveries = stuck.batch(BATCH, Duration.ofSeconds(1));
      for (Delivery<byte[]> delivery : deliveries) {
        expect(delivery, given++);
      }
      stuck.ack(deliveries);
    }
    if (stuck.stats().lag() != 0) {
      throw new AssertionError(stuck.stats().toString());
    }
    LOG.warn("{}: {} messages, stopped at {}", DONE, messages, stoppedAt);
  }

  private static void publish(MessageQueue<byte[]> queue, long messages) {
    for (long number = 0; number < messages; number += BATCH) {
      List<byte[]> batch = new ArrayList<>(BATCH);
      for (int i = 0; i < BATCH; i++) {
        batch.add(ByteBuffer.allocate(BYTES).putLong(number + i).array());
      }
      queue.publisher().publishAll(batch);
    }
  }

  private static void expect(Delivery<byte[]> delivery, long number) {
    long there = ByteBuffer.wrap(delivery.data()).getLong();
    if (delivery.sequence() != number || there != number || delivery.attempt() != 1) {
      throw new AssertionError("expected " + number + ", got " + delivery + " with " + there);
    }
  }
}
