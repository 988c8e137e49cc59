package com.wookler.river.kafka;

import com.wookler.river.common.MonitoredThread;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.Origin;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * Publishes numbers from where it was killed, and forwards them to three partitions, until all are
 * there: {@code directory servers topic count begun}. Creates the file {@code begun} after its
 * first commit.
 */
final class ForwarderChild {
  private static final Origin SOURCE = Origin.of("numbers");
  static final int KEYS = 97;
  private static final int BYTES = 200;

  private ForwarderChild() {}

  public static void main(String[] args) throws Exception {
    new MonitoredThread("parent", BrokerMain::endWithParent).start();
    long count = Long.parseLong(args[3]);
    try (MessageQueue<String> queue =
            MessageQueue.builder("numbers", MessageConverter.utf8())
                .directory(Path.of(args[0]))
                .open();
        KafkaForwarder<String> forwarder =
            KafkaForwarder.builder(queue, Map.of("bootstrap.servers", args[1]))
                .topic(args[2])
                .batch(200, 8 << 20)
                .pause(Duration.ofMillis(200))
                .start()) {
      MonitoredThread publisher = new MonitoredThread("publisher", () -> publish(queue, count));
      publisher.start();
      boolean begun = false;
      while (forwarder.position() < count) {
        if (!begun && forwarder.stats().sent() > 0) {
          Files.createFile(Path.of(args[4]));
          begun = true;
        }
        Thread.sleep(5);
      }
      publisher.join();
    }
    Runtime.getRuntime().halt(0);
  }

  private static void publish(MessageQueue<String> queue, long count) {
    String filling = "x".repeat(BYTES);
    for (long n = queue.lastFrom(SOURCE).orElse(-1) + 1; n < count; n++) {
      queue.putFrom(
          SOURCE, n, Message.of(n + " " + filling).withKey("key" + n % KEYS), Durability.MEMORY);
    }
  }
}
