package com.wookler.river.examples.demo;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.core.MessageQueue;
import java.util.function.Supplier;

/**
 * Holds the queue of publishers and consumers, which can be closed and reopened while they use it:
 * after a {@code QueueClosedException} they wait here for the reopened queue. Thread-safe.
 */
final class RestartableQueue implements AutoCloseable {
  private final Supplier<MessageQueue<String>> opener;
  private final Object lock = new Object();

  @GuardedBy("lock")
  private MessageQueue<String> queue;

  @GuardedBy("lock")
  private int restarts;

  /** Creates a holder and opens the queue. */
  RestartableQueue(Supplier<MessageQueue<String>> opener) {
    this.opener = opener;
    this.queue = opener.get();
  }

  /** Returns the queue, which may be closed at any time. */
  MessageQueue<String> current() {
    synchronized (lock) {
      return queue;
    }
  }

  /** Returns the number of restarts. */
  int restarts() {
    synchronized (lock) {
      return restarts;
    }
  }

  /** Waits until the queue is reopened, and returns it. */
  MessageQueue<String> after(MessageQueue<String> closed) throws InterruptedException {
    synchronized (lock) {
      while (queue == closed) {
        lock.wait();
      }
      return queue;
    }
  }

  /** Closes the queue while it is in use, and reopens it from its directory. */
  void restart() {
    current().close();
    MessageQueue<String> opened = opener.get();
    synchronized (lock) {
      queue = opened;
      restarts++;
      lock.notifyAll();
    }
  }

  @Override
  public void close() {
    current().close();
  }
}
