package com.wookler.river.core.subscriber;

import com.wookler.river.common.TimeSource;
import com.wookler.river.core.log.Waiters;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the consumers of one subscriber wait for messages, each parked until a publish, a due
 * redelivery or the end of its time; none of them spins.
 *
 * <p>A publish wakes one consumer. Whoever leaves wakes the next if there is more to take, or a
 * redelivery to time: so no message waits beside a sleeping consumer, and one message does not wake
 * them all.
 *
 * @param <D> what is waited for
 */
final class BlockingWaiters<D> {
  private static final Duration LONGEST = Duration.ofDays(365);

  private final Waiters.Line line;
  private final TimeSource time;
  private final Source<D> source;

  /** What is waited for; called by the waiting threads, without a lock. */
  interface Source<D> {
    /** Takes what is there, without waiting. */
    List<D> take(int max);

    /**
     * Takes what is available, for a turn at most; null if the turn ended before anything was
     * found.
     */
    @Nullable List<D> takeInTurn(int max);

    /** Returns when to look again even if nothing is published, in nanoseconds from now. */
    long nanosUntilDue();

    /** Returns whether another consumer has reason to look. */
    boolean needsAnother();
  }

  BlockingWaiters(Waiters.Line line, TimeSource time, Source<D> source) {
    this.line = line;
    this.time = time;
    this.source = source;
  }

  List<D> await(int max, Duration timeout) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    List<D> taken = source.take(max);
    if (!taken.isEmpty() || timeout.isZero() || timeout.isNegative()) {
      return taken;
    }
    Duration bounded = timeout.compareTo(LONGEST) > 0 ? LONGEST : timeout;
    try {
      return park(max, time.nanoTime() + bounded.toNanos());
    } finally {
      if (source.needsAnother()) {
        line.wakeOne();
      }
    }
  }

  private List<D> park(int max, long deadline) throws InterruptedException {
    while (true) {
      // before the look below, so that a publish behind it wakes this thread
      Waiters.Waiter waiter = line.join();
      try {
        List<D> taken = source.take(max);
        long left = deadline - time.nanoTime();
        if (!taken.isEmpty() || left <= 0) {
          return taken;
        }
        waiter.park(time, Math.min(left, source.nanosUntilDue()));
      } finally {
        line.leave(waiter);
      }
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
    }
  }
}
