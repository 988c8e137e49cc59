package com.wookler.river.core.subscriber;

import com.wookler.river.common.TimeSource;
import java.util.concurrent.TimeUnit;

/**
 * The clock of a subscriber's ledger: milliseconds since 1970 when the subscriber was opened, and
 * by the monotonic clock from then on. Any thread.
 */
final class LedgerClock {
  static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  final long openedNanos;
  private final long openedMillis;
  private final TimeSource time;

  LedgerClock(TimeSource time) {
    this.time = time;
    this.openedNanos = time.nanoTime();
    this.openedMillis = TimeUnit.MICROSECONDS.toMillis(time.epochMicros());
  }

  long nowMillis() {
    return millisAt(time.nanoTime());
  }

  long millisAt(long nanoTime) {
    return openedMillis + (nanoTime - openedNanos) / MILLI;
  }

  /** Returns by how much the wall clock is ahead of this one, because it was set. */
  long wallAheadMillis() {
    return TimeUnit.MICROSECONDS.toMillis(time.epochMicros()) - nowMillis();
  }

  /** Returns when the monotonic clock shows this time of the ledger's. */
  long nanosAt(long millis) {
    return openedNanos + (millis - openedMillis) * MILLI;
  }
}
