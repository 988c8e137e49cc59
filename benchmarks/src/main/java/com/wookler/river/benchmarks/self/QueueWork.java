package com.wookler.river.benchmarks.self;

import com.wookler.river.benchmarks.harness.Context;
import com.wookler.river.benchmarks.harness.Rounds;
import com.wookler.river.benchmarks.harness.ThisJvm;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.Publisher;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Opens queues, and publishes and consumes by one thread. */
final class QueueWork {
  static final String RATE = "msg/s";
  static final int BATCH = 64;
  static final int SMALL = 100; // bytes
  static final Duration PATIENCE = Duration.ofSeconds(60);

  private QueueWork() {}

  /** Returns a queue as in production: drained blocks are archived, and archives expire. */
  static MessageQueue.Builder<byte[]> queue(Path directory) {
    return MessageQueue.builder("river", MessageConverter.bytes())
        .directory(directory.resolve("data"))
        .backup(directory.resolve("backup"), Duration.ofSeconds(1));
  }

  /** Opens a queue that is deleted after the rounds. */
  static MessageQueue<byte[]> open(Rounds rounds, Context context, String name) throws IOException {
    return deleting(rounds, queue(context.fresh(name)).open());
  }

  static MessageQueue<byte[]> deleting(Rounds rounds, MessageQueue<byte[]> queue) {
    rounds.closing(queue::delete);
    return queue;
  }

  static SubscriberConfig.Builder acked(String name) {
    return SubscriberConfig.builder(name).ack(true);
  }

  /** Publishes messages of 100 bytes, one by one; returns messages a second. */
  static double publish(MessageQueue<byte[]> queue, long count) {
    return publish(queue, count, SMALL);
  }

  static double publish(MessageQueue<byte[]> queue, long count, int bytes) {
    Publisher<byte[]> publisher = queue.publisher();
    byte[] message = new byte[bytes];
    long started = System.nanoTime();
    for (long i = 0; i < count; i++) {
      publisher.publish(message);
    }
    return perSecond(count, started);
  }

  /** Takes messages in batches of 64 and acknowledges each batch; returns messages a second. */
  static double consume(Subscriber<byte[]> subscriber, long count) throws InterruptedException {
    return consume(subscriber, count, SMALL);
  }

  static double consume(Subscriber<byte[]> subscriber, long count, int each)
      throws InterruptedException {
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
    ThisJvm.check(bytes == count * each, bytes + " bytes in " + count + " messages");
    return rate;
  }

  /** Takes the next batch, which must come. */
  static List<Delivery<byte[]>> take(Subscriber<byte[]> subscriber, int max, long soFar)
      throws InterruptedException {
    List<Delivery<byte[]>> batch = subscriber.batch(max, PATIENCE);
    ThisJvm.check(!batch.isEmpty(), "nothing came within " + PATIENCE + " after message " + soFar);
    return batch;
  }

  /** Reads the oldest and the newest message in turn; returns look-ups a second. */
  static double lookUp(MessageQueue<byte[]> queue, int count) {
    long oldest = queue.stats().firstSequence();
    long newest = queue.stats().nextSequence() - 1;
    long started = System.nanoTime();
    for (int i = 0; i < count; i++) {
      ThisJvm.check(queue.read(i % 2 == 0 ? oldest : newest).isPresent(), "a message is missing");
    }
    return perSecond(count, started);
  }

  static double perSecond(long count, long startedNanos) {
    return count * 1e9 / (System.nanoTime() - startedNanos);
  }

  static double millisSince(long startedNanos) {
    return (System.nanoTime() - startedNanos) / 1e6;
  }
}
