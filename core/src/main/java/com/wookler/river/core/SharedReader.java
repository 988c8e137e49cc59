package com.wookler.river.core;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.LogReader;
import com.wookler.river.core.message.QueueClosedException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/** A reader of the log that threads use in turn, each under its lock. Thread-safe. */
final class SharedReader implements AutoCloseable {
  final ReentrantLock lock = new ReentrantLock();
  private final String queue;

  @GuardedBy("lock")
  private final LogReader reader;

  @GuardedBy("lock")
  private boolean closed;

  SharedReader(String queue, BlockLog log) {
    this.queue = queue;
    this.reader = log.reader();
  }

  /** Returns the reader, for as long as the lock is held, unless it is closed. */
  @GuardedBy("lock")
  LogReader get() {
    if (closed) {
      throw new QueueClosedException("queue " + queue + " is closed");
    }
    return reader;
  }

  /**
   * Reads under the lock, and keeps nothing mapped: the log itself keeps the last few blocks so.
   */
  <T> T use(Function<LogReader, T> work) {
    lock.lock();
    try {
      LogReader used = get();
      try {
        return work.apply(used);
      } finally {
        used.rest();
      }
    } finally {
      lock.unlock();
    }
  }

  void leave(int block) {
    lock.lock();
    try {
      if (!closed) {
        reader.leave(block);
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      reader.close();
    } finally {
      lock.unlock();
    }
  }
}
