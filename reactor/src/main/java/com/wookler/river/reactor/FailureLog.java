package com.wookler.river.reactor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.RateLimitedLog;
import com.wookler.river.common.TimeSource;
import com.wookler.river.core.subscriber.Delivery;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs what a processor throws: for each class of exception the first at once, with its stack, and
 * then one a minute, with the number of those in between. Without the limit, a processor that fails
 * for every message would fill the disk. Thread-safe.
 */
final class FailureLog {
  private static final Logger LOG = LoggerFactory.getLogger(FailureLog.class);

  private final String processor;

  @GuardedBy("this")
  private final Map<Class<?>, Occurrences> byClass = new HashMap<>();

  /** The lines about one class of exception. */
  private static final class Occurrences {
    private final RateLimitedLog limit = new RateLimitedLog(TimeSource.system());
    private long suppressed;
  }

  FailureLog(String processor) {
    this.processor = processor;
  }

  /** Logs an exception at WARN if the limit allows it, else at DEBUG. */
  void log(Delivery<?> delivery, Throwable cause) {
    long suppressed = suppressed(cause.getClass());
    if (suppressed < 0) {
      LOG.debug(
          "Processor {} threw over sequence {}, attempt {}: {}",
          processor,
          delivery.sequence(),
          delivery.attempt(),
          cause.toString());
      return;
    }
    LOG.warn(
        "Processor {} threw over sequence {}, attempt {}{}",
        processor,
        delivery.sequence(),
        delivery.attempt(),
        suppressed == 0 ? "" : ", and " + suppressed + " times more since the last such line",
        cause);
  }

  /**
   * Returns how many exceptions of a class were not logged since the last one that was; below 0 if
   * this one is not to be logged either.
   */
  private synchronized long suppressed(Class<?> type) {
    Occurrences occurrences = byClass.computeIfAbsent(type, first -> new Occurrences());
    if (!occurrences.limit.mayLog()) {
      occurrences.suppressed++;
      return -1;
    }
    long suppressed = occurrences.suppressed;
    occurrences.suppressed = 0;
    return suppressed;
  }
}
