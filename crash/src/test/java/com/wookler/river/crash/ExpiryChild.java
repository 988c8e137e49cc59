package com.wookler.river.crash;

import com.wookler.river.common.TimeSource;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.SizeBasedRecycle;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Publishes numbers in a row until it is killed. Every message that is not a multiple of three has
 * expired before two subscribers ask for it, and goes to the expiry queue, which runs in the same
 * process.
 */
final class ExpiryChild {
  private static final Duration SOON = Duration.ofMillis(1);
  private static final TimeUnit MICROS = TimeUnit.MICROSECONDS;

  private ExpiryChild() {}

  static boolean expires(long sequence) {
    return sequence % 3 != 0;
  }

  static MessageQueue.Builder<String> expired(Path directory) {
    return builder(directory, "expired");
  }

  static MessageQueue.Builder<String> source(Path directory) {
    return builder(directory, "orders")
        .maxAge(Duration.ofDays(1), "expired")
        .subscriber(SubscriberConfig.builder("acking").ack(true).build())
        .subscriber(SubscriberConfig.builder("plain").build());
  }

  private static MessageQueue.Builder<String> builder(Path directory, String name) {
    return MessageQueue.builder(name, MessageConverter.utf8())
        .directory(directory)
        .maxMessageBytes(16 << 10)
        .syncInterval(Duration.ofMillis(20))
        .recycle(SizeBasedRecycle.ofMessages(500));
  }

  /** Argument: directory. */
  @SuppressWarnings({"InfiniteLoopStatement", "try"}) // the expiry queue only has to be there
  public static void main(String[] args) throws Exception {
    Path directory = Path.of(args[0]);
    try (MessageQueue<String> expired = expired(directory).open();
        MessageQueue<String> orders = source(directory).open()) {
      TimeSource time = TimeSource.system();
      Subscriber<String> acking = orders.subscriber("acking");
      Subscriber<String> plain = orders.subscriber("plain");
      while (true) {
        for (int i = 0; i < 20; i++) {
          long next = orders.stats().nextSequence();
          Message<String> message = Message.of(String.valueOf(next));
          orders.publisher().publish(expires(next) ? message.expiresAfter(SOON) : message);
        }
        long over = time.epochMicros() + MICROS.convert(SOON);
        Waiting.until(Waiting.RESUMED, () -> time.epochMicros() > over);
        plain.batch(100, Duration.ofMillis(1));
        acking.batch(100, Duration.ZERO).forEach(Delivery::ack);
      }
    }
  }
}
