package com.wookler.river.benchmarks.system;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A queue made of a sorted store: keys are sequence numbers, and the consumer keeps its position. A
 * store notifies no one, so a waiting consumer looks every 50 µs.
 */
abstract class StoreQueue implements OpenQueue {
  private static final long PAUSE_NANOS = 50_000;

  private final boolean ack;
  private final AtomicLong sequence;

  /** Where a consumer begins: what is before is acknowledged. Written by the consumer. */
  private volatile long first;

  /** What is below was there when the queue was opened: a hole in it will never be filled. */
  private final long found;

  /** Creates it with the lowest key, 0 if there is none, and the number after the highest. */
  StoreQueue(Work work, long lowest, long found) {
    this.ack = work.ack();
    this.first = lowest;
    this.found = found;
    this.sequence = new AtomicLong(found);
  }

  /** Returns the first of as many numbers. */
  final long numbers(int count) {
    return sequence.getAndAdd(count);
  }

  /** Reads in the order of keys. Confined to one thread. */
  abstract class StoreReceiver implements Receiver {
    private long next = first;

    /** Gets ready to find keys from this number on. */
    void from(long number) throws Exception {}

    /** Returns the first key that is not below the number; -1 if there is none. */
    abstract long find(long number) throws Exception;

    /** Returns the message of the key that was found. */
    abstract byte[] value();

    abstract void remove(long number) throws Exception;

    abstract void commitRemovals() throws Exception;

    @Override
    public final int receive(int max, Duration timeout, Sink sink) throws Exception {
      long end = timeout.isZero() ? 0 : System.nanoTime() + timeout.toNanos();
      int count = take(max, sink);
      while (count == 0 && end != 0 && System.nanoTime() - end < 0) {
        LockSupport.parkNanos(this, PAUSE_NANOS);
        count = take(max, sink);
      }
      return count;
    }

    /**
     * Takes what follows without a hole: it waits for a number that another publisher has taken and
     * not written yet.
     */
    private int take(int max, Sink sink) throws Exception {
      int count = 0;
      from(next);
      while (count < max && isNext(find(next))) {
        sink.accept(value());
        if (ack) {
          remove(next);
        }
        next++;
        count++;
      }
      if (ack && count > 0) {
        commitRemovals();
        first = next;
      }
      return count;
    }

    private boolean isNext(long at) {
      if (at > next && next < found) {
        next = Math.min(at, found);
      }
      return at == next;
    }
  }
}
