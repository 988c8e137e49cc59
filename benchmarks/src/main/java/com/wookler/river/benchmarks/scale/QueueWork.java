package com.wookler.river.benchmarks.scale;

import com.wookler.river.benchmarks.harness.ThisJvm;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.Publisher;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Opens queues, and publishes and consumes by one thread. */
final class QueueWork {
  static final String RATE = "msg/s";
  static final int BATCH = 64;
  static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final byte[] SMALL = new byte[100];

  private QueueWork() {}

  /** Returns a queue as in production: drained blocks are archived, and archives expire. */
  static MessageQueue.Builder<byte[]> queue(Path directory) {
    return queue(directory, Duration.ofSeconds(1));
  }

  /** Returns a queue that keeps its archive for a time; zero for ever. */
  static MessageQueue.Builder<byte[]> queue(Path directory, Duration retention) {
    return MessageQueue.builder("river", MessageConverter.bytes())
        .directory(directory.resolve("data"))
        .backup(directory.resolve("backup"), retention);
  }

  static SubscriberConfig.Builder acked(String name) {
    return SubscriberConfig.builder(name).ack(true);
  }

  /** Publishes messages of 100 bytes, one by one; returns messages a second. */
  static double publish(MessageQueue<byte[]> queue, long count) {
    Publisher<byte[]> publisher = queue.publisher();
    long started = System.nanoTime();
    for (long i = 0; i < count; i++) {
      publisher.publish(SMALL);
    }
    return perSecond(count, started);
  }

  /** Takes messages in batches of 64 and acknowledges each batch; returns messages a second. */
  static double consume(Subscriber<byte[]> subscriber, long count) throws InterruptedException {
    long started = System.nanoTime();
    long bytes = 0;
    for (long left = count; left > 0; ) {
      List<Delivery<byte[]>> batch = take(subscriber, (int) Math.min(BATCH, left), count - left);
      for (Delivery<byte[]> delivery : batch) {
        bytes += delivery.data().length;
      }
      subscriber.ack(batch);
      left -= batch.size();
    }
    double rate = perSecond(count, started);
    ThisJvm.check(bytes == count * SMALL.length, bytes + " bytes in " + count + " messages");
    return rate;
  }

  /** Takes the next batch, which must come. */
  static List<Delivery<byte[]>> take(Subscriber<byte[]> subscriber, int max, long soFar)
      throws InterruptedException {
    List<Delivery<byte[]>> batch = subscriber.batch(max, PATIENCE);
    if (batch.isEmpty()) {
      throw new IllegalStateException(
          "nothing came within " + PATIENCE + " after " + soFar + ": " + subscriber.stats());
    }
    return batch;
  }

  static double perSecond(long count, long startedNanos) {
    return count * 1e9 / (System.nanoTime() - startedNanos);
  }

  static double millisSince(long startedNanos) {
    return (System.nanoTime() - startedNanos) / 1e6;
  }
}
