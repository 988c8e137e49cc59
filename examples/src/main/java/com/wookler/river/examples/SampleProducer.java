package com.wookler.river.examples;

import com.wookler.river.common.TimeSource;
import com.wookler.river.core.Publisher;
import com.wookler.river.examples.utils.EventFile;
import com.wookler.river.examples.utils.EventReader;
import com.wookler.river.examples.utils.UsageException;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

/** Publishes a number of messages, reading its input again from the start as often as needed. */
final class SampleProducer {
  private final String name;
  private final EventFile input;
  private final long count;
  private final LongAdder published;
  private final TimeSource time = TimeSource.system();

  SampleProducer(String name, EventFile input, long count, LongAdder published) {
    this.name = name;
    this.input = input;
    this.count = count;
    this.published = published;
  }

  /**
   * Publishes all messages. The elapsed time includes reading the input, the busy time does not.
   */
  WorkerStats run(Publisher<String> publisher) throws InterruptedException {
    long start = time.nanoTime();
    long busy = 0;
    long done = 0;
    while (done < count) {
      long before = done;
      try (EventReader lines = input.open()) {
        for (String line = lines.next(); line != null && done < count; line = lines.next()) {
          if (Thread.interrupted()) {
            throw new InterruptedException(name + " was interrupted");
          }
          long t = time.nanoTime();
          publisher.publish(line);
          busy += time.nanoTime() - t;
          published.increment();
          done++;
        }
      }
      if (done == before) {
        throw new UsageException("no messages in " + input.name());
      }
    }
    return new WorkerStats(
        name, done, Duration.ofNanos(busy), Duration.ofNanos(time.nanoTime() - start));
  }
}
