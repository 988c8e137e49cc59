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
 * Takes its part of a subscriber's messages, in batches, until all of them together have enough.
 */
final class SampleConsumer {
  private static final int BATCH = 1024;
  private static final Duration POLL = Duration.ofMillis(100);

  /** For how long nothing may come before the sample gives up. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final String name;
  private final @Nullable Path output;
  private final AtomicLong remaining;
  private final TimeSource time = TimeSource.system();
  private long processed; // confined to the consumer's thread, like busy
  private long busy;

  /**
   * A consumer.
   *
   * @param output the file to write messages to, a line each; null for none
   * @param remaining how many messages all consumers together still wait for
   */
  SampleConsumer(String name, @Nullable Path output, AtomicLong remaining) {
    this.name = name;
    this.output = output;
    this.remaining = remaining;
  }

  Tally run(Subscriber<String> subscriber) throws IOException, InterruptedException {
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
        } else if (time.nanoTime() - last > PATIENCE.toNanos()) {
          throw new IllegalStateException(
              name + ": nothing came for " + PATIENCE + ", still missing " + remaining.get());
        }
      }
    }
    return new Tally(name, processed, Duration.ofNanos(busy), Duration.ofNanos(last - start));
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
