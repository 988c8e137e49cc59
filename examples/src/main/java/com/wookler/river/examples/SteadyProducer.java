package com.wookler.river.examples;

import com.wookler.river.common.TimeSource;
import com.wookler.river.examples.utils.EventReader;
import com.wookler.river.examples.utils.UsageException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Publishes events at a steady rate, and notes how long each publish took: while something is there
 * and while it is away. Runs on one thread; others see how far it is.
 */
final class SteadyProducer {
  private final ExampleOptions options;
  private final int count;
  private final int rate;
  private final TimeSource time = TimeSource.system();
  private final AtomicInteger published = new AtomicInteger();
  private final Latencies whileThere;
  private final Latencies whileAway;
  private volatile boolean away; // told by another thread

  /**
   * @param rate events a second
   */
  SteadyProducer(ExampleOptions options, int rate) {
    this.options = options;
    this.count = (int) Math.min(options.count(), Integer.MAX_VALUE);
    this.rate = rate;
    this.whileThere = new Latencies(count);
    this.whileAway = new Latencies(count);
  }

  /** How many it will publish. */
  int count() {
    return count;
  }

  /** How many it has published. */
  int published() {
    return published.get();
  }

  /** Whether from here on counts as away. */
  void away(boolean now) {
    away = now;
  }

  /** Publishes them all, cycling through the input. */
  void run(Consumer<String> publish) throws InterruptedException {
    long start = time.nanoTime();
    while (published.get() < count) {
      int before = published.get();
      try (EventReader events = options.input().open()) {
        String event = events.next();
        while (event != null && published.get() < count) {
          pace(start);
          long began = time.nanoTime();
          publish.accept(event);
          (away ? whileAway : whileThere).add(time.nanoTime() - began);
          published.incrementAndGet();
          event = events.next();
        }
      }
      if (published.get() == before) {
        throw new UsageException("no messages in " + options.input().name());
      }
    }
  }

  private void pace(long start) throws InterruptedException {
    long due = start + published.get() * (TimeUnit.SECONDS.toNanos(1) / rate);
    for (long left = due - time.nanoTime(); left > 0; left = due - time.nanoTime()) {
      time.park(this, left);
      if (Thread.interrupted()) {
        throw new InterruptedException("the producer was interrupted");
      }
    }
  }

  /** Two lines over what publishing took; once it has ended. */
  String latencies() {
    return String.format(
        "A publish took, in microseconds:%n"
            + "  while the server was there   %s%n"
            + "  while it was away            %s%n",
        whileThere, whileAway);
  }
}
