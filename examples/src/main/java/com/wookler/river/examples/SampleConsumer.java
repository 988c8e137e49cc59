package com.wookler.river.examples;

import com.wookler.river.common.TimeSource;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Consumes a subscriber's messages in batches, together with other consumers, until they have
 * consumed a number of messages.
 */
final class SampleConsumer {
  private static final int BATCH = 1024;
  private static final Duration POLL = Duration.ofMillis(100);

  /** The time without a message after which the sample fails. */
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final String name;
  private final @Nullable Path output;
  private final AtomicLong remaining;
  private final TimeSource time = TimeSource.system();
  private long processed; // confined to the consumer's thread, like busy
  private long busy;

  /**
   * Creates a consumer.
   *
   * @param output the file to write messages to, one per line; null for none
   * @param remaining the number of messages that all consumers together still wait for
   */
  SampleConsumer(String name, @Nullable Path output, AtomicLong remaining) {
    this.name = name;
    this.output = output;
    this.remaining = remaining;
  }

  WorkerStats run(Subscriber<String> subscriber) throws IOException, InterruptedException {
    long start = time.nanoTime();
    long last = start;
    try (Writer writer = output == null ? Writer.nullWriter() : open(output)) {
      while (remaining.get() > 0) {
        long t = time.nanoTime();
        List<Delivery<String>> batch = subscriber.batch(BATCH, POLL);
        if (!batch.isEmpty()) {
          process(subscriber, batch, writer);
          last = time.nanoTime();
          busy += last - t;
        } else if (time.nanoTime() - last > TIMEOUT.toNanos()) {
          throw new IllegalStateException(
              name + ": no message arrived for " + TIMEOUT + ", still missing " + remaining.get());
        }
      }
    }
    return new WorkerStats(name, processed, Duration.ofNanos(busy), Duration.ofNanos(last - start));
  }

  private static BufferedWriter open(Path file) throws IOException {
    Files.createDirectories(file.toAbsolutePath().getParent());
    return Files.newBufferedWriter(file);
  }

  private void process(Subscriber<String> subscriber, List<Delivery<String>> batch, Writer writer)
      throws IOException {
    long fresh = 0;
    for (Delivery<String> delivery : batch) {
      writer.write(delivery.data());
      writer.write('\n');
      if (delivery.attempt() == 1) {
        fresh++;
      }
    }
    subscriber.ack(batch);
    processed += batch.size();
    remaining.addAndGet(-fresh);
  }
}
