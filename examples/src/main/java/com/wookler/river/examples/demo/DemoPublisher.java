package com.wookler.river.examples.demo;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.examples.utils.EventReader;
import com.wookler.river.examples.utils.Workers;
import java.util.concurrent.CountDownLatch;

/**
 * Publishes its share of the events in their order: those whose number leaves its own number as
 * remainder. When the queue is closed under it, it publishes the event again to the queue that
 * follows: {@link QueueClosedException} means that it was not stored.
 */
final class DemoPublisher implements Workers.Task {
  private final int own;
  private final int publishers;
  private final Events events;
  private final Published published;
  private final QueueHandle handle;
  private final CountDownLatch halfway;
  private final Pace pace;

  /** Publisher {@code own} of several; the latch is released when half of all is published. */
  DemoPublisher(int own, int publishers, Stage stage, CountDownLatch halfway, Pace pace) {
    this.own = own;
    this.publishers = publishers;
    this.events = stage.events();
    this.published = stage.published();
    this.handle = stage.handle();
    this.halfway = halfway;
    this.pace = pace;
  }

  @Override
  public void run() throws InterruptedException {
    MessageQueue<String> queue = handle.current();
    int number = 0;
    try (EventReader lines = events.open()) {
      for (String line = lines.next(); line != null; line = lines.next()) {
        if (number % publishers == own) {
          pace.step(1);
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

  /** The publisher that reaches half of the events waits for the restart; the others meet it. */
  private MessageQueue<String> awaitRestart(MessageQueue<String> queue)
      throws InterruptedException {
    halfway.countDown();
    return handle.after(queue);
  }
}
