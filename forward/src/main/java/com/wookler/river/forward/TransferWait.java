package com.wookler.river.forward;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.RateLimitedLog;
import com.wookler.river.common.TimeSource;
import java.time.Duration;

/**
 * Keeps why a transfer waits for its target, and says when that is to be logged: after it has
 * lasted for some time, then once a minute. Thread-safe.
 */
final class TransferWait {
  private final TimeSource time;
  private final long patienceNanos;

  @GuardedBy("this")
  private final RateLimitedLog limit;

  @GuardedBy("this")
  private long since;

  private volatile String reason = ""; // written under the monitor

  TransferWait(TimeSource time, Duration patience) {
    this.time = time;
    this.patienceNanos = patience.toNanos();
    this.limit = new RateLimitedLog(time);
  }

  String reason() {
    return reason;
  }

  /** Notes why the transfer waits. Returns whether this is to be logged. */
  synchronized boolean because(String why) {
    if (reason.isEmpty()) {
      since = time.nanoTime();
    }
    reason = why;
    return time.nanoTime() - since >= patienceNanos && limit.mayLog();
  }

  /** Notes that the transfer does not wait any more. */
  void over() {
    if (!reason.isEmpty()) {
      end();
    }
  }

  private synchronized void end() {
    reason = "";
    limit.reset();
  }
}
