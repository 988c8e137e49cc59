package com.wookler.river.examples.demo;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.examples.utils.EventReader;
import com.wookler.river.examples.utils.Workers;
import java.util.concurrent.CountDownLatch;

/**
 * Publishes its share of the events in order: those whose number modulo the number of publishers is
 * its own number. If the queue is closed meanwhile, it publishes the event again to the reopened
 * queue: {@link QueueClosedException} means that the event was not stored.
 */
final class DemoPublisher implements Workers.Task {
  private final int own;
  private final int publishers;
  private final Events events;
  private final PublishedSequences published;
  private final RestartableQueue handle;
  private final CountDownLatch halfway;
  private final RateLimiter limiter;

  /**
   * Creates publisher {@code own} of several. The latch is released when half of all events are
   * published.
   */
  DemoPublisher(
      int own, int publishers, DemoContext context, CountDownLatch halfway, RateLimiter limiter) {
    this.own = own;
    this.publishers = publishers;
    this.events = context.events();
    this.published = context.published();
    this.handle = context.handle();
    this.halfway = halfway;
    this.limiter = limiter;
  }

  @Override
  public void run() throws InterruptedException {
    MessageQueue<String> queue = handle.current();
    int number = 0;
    try (EventReader lines = events.open()) {
      for (String line = lines.next(); line != null; line = lines.next()) {
        if (number % publishers == own) {
          limiter.acquire(1);
          queue = publish(queue, number, events.message(number, line));
        }
        number++;
      }
    }
  }

  private MessageQueue<String> publish(
      MessageQueue<String> first, int number, Message<String> message) throws InterruptedException {
    MessageQueue<String> queue = first;
    while (true) {
      try {
        int count = published.add(number, queue.publisher().publish(message));
        return count == Math.max(1, events.count() / 2) ? awaitRestart(queue) : queue;
      } catch (QueueClosedException e) {
        queue = handle.after(queue);
      }
    }
  }

  /**
   * Waits for the restart, in the publisher that reaches half of the events; the others get a
   * closed queue.
   */
  private MessageQueue<String> awaitRestart(MessageQueue<String> queue)
      throws InterruptedException {
    halfway.countDown();
    return handle.after(queue);
  }
}
