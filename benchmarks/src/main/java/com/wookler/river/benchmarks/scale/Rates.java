package com.wookler.river.benchmarks.scale;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.Publisher;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.time.Duration;
import java.util.List;

/** Publishes and consumes by one thread, and says how fast that went. */
final class Rates {
  static final String UNIT = "msg/s";
  static final int BATCH = 64;
  static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final byte[] SMALL = new byte[100];

  private Rates() {}

  /** Publishes so many messages of 100 bytes, one by one; in messages a second. */
  static double publish(MessageQueue<byte[]> queue, long count) {
    Publisher<byte[]> publisher = queue.publisher();
    long started = System.nanoTime();
    for (long i = 0; i < count; i++) {
      publisher.publish(SMALL);
    }
    return perSecond(count, started);
  }

  /** Takes so many messages in batches of 64, and acknowledges each batch; messages a second. */
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
    if (bytes != count * SMALL.length) {
      throw new IllegalStateException(bytes + " bytes in " + count + " messages");
    }
    return rate;
  }

  /** The next batch, which must come. */
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
}
