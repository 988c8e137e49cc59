package com.wookler.river.jdbc;

import com.wookler.river.common.TimeSource;
import java.time.Duration;

/**
 * Decides which of several instances moves the messages of an outbox. The one that does raises a
 * number in the table from time to time; another one takes over when it has seen the same number
 * for the time of the lease, by its own monotonic clock. Clocks of two machines are never compared.
 *
 * <p>Only the order of the messages depends on it: that none is moved twice is due to the claims.
 * Not thread-safe.
 */
final class OutboxLease {
  private static final int RENEWALS = 3; // in the time of a lease

  private final String self;
  private final long nanos;
  private final TimeSource time;
  private Row seen = new Row("", -1);
  private long seenAt;
  private long renewedAt;
  private boolean leading;

  /**
   * The stored lease.
   *
   * @param holder identity of the queue that moves; empty: none
   */
  record Row(String holder, long beat) {}

  OutboxLease(String self, Duration lease, TimeSource time) {
    this.self = self;
    this.nanos = lease.toNanos();
    this.time = time;
  }

  /** Returns whether this instance may claim messages, as the locked row is. */
  boolean mayClaim(Row row) {
    long now = time.nanoTime();
    if (!row.equals(seen)) {
      seen = row;
      seenAt = now;
    }
    leading = row.holder().isEmpty() || row.holder().equals(self) || now - seenAt >= nanos;
    return leading;
  }

  /** Returns whether another instance has claimed since this one did. */
  boolean isNew(Row row) {
    return !row.holder().equals(self);
  }

  /** Returns whether the row is to be written: it is of another one, or was not for a while. */
  boolean isDue() {
    return leading && nanos > 0 && time.nanoTime() - renewedAt >= nanos / RENEWALS;
  }

  Row renewed(Row row) {
    renewedAt = time.nanoTime();
    return new Row(self, row.beat() + 1);
  }

  boolean leading() {
    return leading;
  }
}
