package com.wookler.river.benchmarks.jmh;

import com.wookler.river.common.MonitoredThread;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.subscriber.Subscriber;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A subscriber that finishes all messages ten times a second, without reading them: blocks go while
 * publishing is measured, and nothing but what the queue does itself takes part in it.
 */
final class Drain {
  private static final int PAUSE_MILLIS = 100;

  private final Subscriber<byte[]> subscriber;
  private final CountDownLatch stop = new CountDownLatch(1);
  private final MonitoredThread thread = new MonitoredThread("DRAIN", this::run);

  /** Drains from now until {@link #end}. */
  Drain(MessageQueue<byte[]> queue) {
    subscriber = queue.subscriber("drain");
    thread.start();
  }

  private void run() {
    try {
      while (!stop.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS)) {
        subscriber.purge();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends the draining. */
  void end() throws InterruptedException {
    stop.countDown();
    thread.join();
  }
}
