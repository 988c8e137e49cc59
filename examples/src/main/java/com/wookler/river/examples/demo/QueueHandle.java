package com.wookler.river.examples.demo;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.core.MessageQueue;
import java.util.function.Supplier;

/**
 * The queue that publishers and consumers work with, which may be closed and opened again under
 * them: whoever meets a closed queue waits here for its successor. Thread-safe.
 */
final class QueueHandle implements AutoCloseable {
  private final Supplier<MessageQueue<String>> opener;
  private final Object lock = new Object();

  @GuardedBy("lock")
  private MessageQueue<String> queue;

  @GuardedBy("lock")
  private int restarts;

  /** Opens the queue. */
  QueueHandle(Supplier<MessageQueue<String>> opener) {
    this.opener = opener;
    this.queue = opener.get();
  }

  /** The queue, which may be closed at any time. */
  MessageQueue<String> current() {
    synchronized (lock) {
      return queue;
    }
  }

  /** How often it was opened again. */
  int restarts() {
    synchronized (lock) {
      return restarts;
    }
  }

  /** The queue that follows one that was found closed. */
  MessageQueue<String> after(MessageQueue<String> closed) throws InterruptedException {
    synchronized (lock) {
      while (queue == closed) {
        lock.wait();
      }
      return queue;
    }
  }

  /** Closes the queue under everybody's hands and opens it again from its directory. */
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
