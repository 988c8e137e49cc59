package com.wookler.river.examples;

import com.wookler.river.common.TimeSource;
import com.wookler.river.examples.utils.EventReader;
import com.wookler.river.examples.utils.UsageException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Publishes events at a steady rate, and records how long each publish took, separately while a
 * server is running and while it is stopped. Runs on one thread; others read its progress.
 */
final class RateLimitedProducer {
  private final ExampleOptions options;
  private final int count;
  private final int rate;
  private final TimeSource time = TimeSource.system();
  private final AtomicInteger published = new AtomicInteger();
  private final LatencyRecorder whileRunning;
  private final LatencyRecorder whileStopped;
  private volatile boolean serverStopped; // written by another thread

  /**
   * Creates a producer.
   *
   * @param rate events per second
   */
  RateLimitedProducer(ExampleOptions options, int rate) {
    this.options = options;
    this.count = (int) Math.min(options.count(), Integer.MAX_VALUE);
    this.rate = rate;
    this.whileRunning = new LatencyRecorder(count);
    this.whileStopped = new LatencyRecorder(count);
  }

  /** Returns the total number of events to publish. */
  int count() {
    return count;
  }

  /** Returns the number of events published so far. */
  int published() {
    return published.get();
  }

  /** Sets whether the server is stopped. */
  void serverStopped(boolean value) {
    serverStopped = value;
  }

  /** Publishes all events, cycling through the input. */
  void run(Consumer<String> publish) throws InterruptedException {
    long start = time.nanoTime();
    while (published.get() < count) {
      int before = published.get();
      try (EventReader events = options.input().open()) {
        String event = events.next();
        while (event != null && published.get() < count) {
          awaitTurn(start);
          long began = time.nanoTime();
          publish.accept(event);
          (serverStopped ? whileStopped : whileRunning).add(time.nanoTime() - began);
          published.incrementAndGet();
          event = events.next();
        }
      }
      if (published.get() == before) {
        throw new UsageException("no messages in " + options.input().name());
      }
    }
  }

  private void awaitTurn(long start) throws InterruptedException {
    long due = start + published.get() * (TimeUnit.SECONDS.toNanos(1) / rate);
    for (long left = due - time.nanoTime(); left > 0; left = due - time.nanoTime()) {
      time.park(this, left);
      if (Thread.interrupted()) {
        throw new InterruptedException("the producer was interrupted");
      }
    }
  }

  /** Returns the latencies as text, after the producer has ended. */
  String latencies() {
    return String.format(
        "A publish took, in microseconds:%n"
            + "  while the server was running   %s%n"
            + "  while it was stopped           %s%n",
        whileRunning, whileStopped);
  }
}
