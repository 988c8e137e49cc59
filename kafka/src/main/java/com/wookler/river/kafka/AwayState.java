package com.wookler.river.kafka;

import com.wookler.river.common.RateLimitedLog;
import com.wookler.river.common.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Whether messages can be transferred now, and if not, since when and why. Written by the thread
 * that transfers, read by any.
 */
final class AwayState {
  private final Logger log;
  private final String what;
  private final TimeSource time;
  private final RateLimitedLog failureLog;
  private final AtomicLong failures = new AtomicLong();
  private boolean logged; // the failure; confined to the thread that transfers
  private volatile @Nullable String failure;
  private volatile @Nullable Instant since;

  /**
   * Creates the state of what works.
   *
   * @param what begins each line, as "Queue orders: forwarding to Kafka"
   */
  AwayState(Logger log, String what, TimeSource time) {
    this.log = log;
    this.what = what;
    this.time = time;
    this.failureLog = new RateLimitedLog(time);
  }

  /** Records that it works, again perhaps. */
  void working() {
    if (failure != null) {
      failure = null;
      since = null;
      if (logged) { // else lines would alternate as fast as failing and working do
        logged = false;
        log.info("{} works again", what);
      }
    }
  }

  /** Records a failure that passes; one line a minute is logged. */
  void failed(Exception e) {
    failures.incrementAndGet();
    String why = KafkaErrors.words(e);
    if (since == null) {
      since = time.wallTime();
    }
    failure = why;
    if (failureLog.mayLog()) {
      logged = true;
      log.warn("{} has failed since {}, and is tried again: {}", what, since, why);
      log.debug("{}: the failure", what, e);
    }
  }

  /** Records a failure after which it is not tried again. */
  void ended(Exception e) {
    failures.incrementAndGet();
    if (since == null) {
      since = time.wallTime();
    }
    failure = e.getMessage();
    log.error("{} has ended: {}", what, e.getMessage());
  }

  /** Waits on the thread that transfers, which may be unparked. */
  void pause(Duration length, BooleanSupplier ends) {
    long until = time.nanoTime() + length.toNanos();
    for (long left = length.toNanos();
        left > 0 && !ends.getAsBoolean();
        left = until - time.nanoTime()) {
      time.park(this, left);
    }
  }

  long failures() {
    return failures.get();
  }

  @Nullable String failure() {
    return failure;
  }

  @Nullable Instant since() {
    return since;
  }

  /** Returns for how long it has failed, in milliseconds; 0 if it works. */
  long millis() {
    Instant begin = since;
    return begin == null ? 0 : Math.max(0, Duration.between(begin, time.wallTime()).toMillis());
  }
}
