package com.wookler.river.core.subscriber;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.Waiters;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Parks the consumers of one subscriber that wait for messages, each until a publish, a due
 * redelivery or the end of its time; none of them spins.
 *
 * <p>A publish wakes one consumer. A consumer that leaves wakes the next if there is more to take,
 * or a redelivery to time: so no message waits beside a sleeping consumer, and one message does not
 * wake them all.
 */
final class BlockingWaiters<M> {
  private static final Duration LONGEST = Duration.ofDays(365);

  private final Waiters.Line line;
  private final TimeSource time;
  private final Poller<M> poller;

  BlockingWaiters(Waiters.Line line, TimeSource time, Poller<M> poller) {
    this.line = line;
    this.time = time;
    this.poller = poller;
  }

  /** Returns what a look finds, at once or when it is worth looking again; null: not in time. */
  <T> @Nullable T await(Supplier<? extends @Nullable T> look, Duration timeout)
      throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    T taken = look.get();
    if (taken != null || timeout.isZero() || timeout.isNegative()) {
      return taken;
    }
    Duration bounded = timeout.compareTo(LONGEST) > 0 ? LONGEST : timeout;
    try {
      return park(look, time.nanoTime() + bounded.toNanos());
    } finally {
      if (poller.needsAnother()) {
        line.wakeOne();
      }
    }
  }

  private <T> @Nullable T park(Supplier<? extends @Nullable T> look, long deadline)
      throws InterruptedException {
    while (true) {
      // before the look below, so that a publish after it wakes this thread
      Waiters.Waiter waiter = line.join();
      try {
        T taken = look.get();
        long left = deadline - time.nanoTime();
        if (taken != null || left <= 0) {
          return taken;
        }
        waiter.park(time, Math.min(left, poller.nanosUntilDue()));
      } finally {
        line.leave(waiter);
      }
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
    }
  }
}
