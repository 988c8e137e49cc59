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
 * Tells the log what a processor throws: for each class of exception the first at once, with its
 * stack, and then one a minute, with the number of those in between. A processor that fails over
 * all it gets would fill the disk otherwise. Thread-safe.
 */
final class FailureLog {
  private static final Logger LOG = LoggerFactory.getLogger(FailureLog.class);

  private final String processor;

  @GuardedBy("this")
  private final Map<Class<?>, Kind> kinds = new HashMap<>();

  private static final class Kind {
    private final RateLimitedLog said = new RateLimitedLog(TimeSource.system());
    private long untold;
  }

  FailureLog(String processor) {
    this.processor = processor;
  }

  void tell(Delivery<?> delivery, Throwable cause) {
    long untold = untold(cause.getClass());
    if (untold < 0) {
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
        untold == 0 ? "" : ", and " + untold + " times more since this was said the last time",
        cause);
  }

  /** How many were not told since the last one that was; below 0 if this one is not, either. */
  private synchronized long untold(Class<?> type) {
    Kind kind = kinds.computeIfAbsent(type, first -> new Kind());
    if (!kind.said.mayLog()) {
      kind.untold++;
      return -1;
    }
    long untold = kind.untold;
    kind.untold = 0;
    return untold;
  }
}
