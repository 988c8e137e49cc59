package com.wookler.river.core;

import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.config.Configurable;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.log.BlockInfo;
import com.wookler.river.core.log.RecycleStrategy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Recycles a block so long after its first message was published, also on an idle queue. An empty
 * block waits.
 *
 * <p>In XML: {@code recycle.time}, such as {@code 10mm}.
 */
public final class TimeBasedRecycle implements RecycleStrategy, Configurable {
  private static final String TIME = "recycle.time";

  /** Its parameters. */
  static final List<String> PARAMS = List.of(TIME);

  private long maxNanos = Long.MAX_VALUE; // set before the queue starts, never after

  /** For XML: then {@link #configure}. */
  public TimeBasedRecycle() {}

  private TimeBasedRecycle(long maxNanos) {
    this.maxNanos = maxNanos;
  }

  /**
   * By age.
   *
   * @param age positive; of 292 years or more: never
   */
  public static TimeBasedRecycle every(Duration age) {
    if (age.isZero() || age.isNegative()) {
      throw new ConfigurationException(TIME + " is " + age + "; it must be positive");
    }
    return new TimeBasedRecycle(TimeUnit.NANOSECONDS.convert(age));
  }

  @Override
  public void configure(ConfigNode node) {
    node.allowParams(PARAMS);
    node.requireParam(TIME);
    Duration age = node.duration(TIME, Duration.ZERO);
    if (age.isZero() || age.isNegative()) {
      throw node.error(TIME, "is " + age + "; it must be positive");
    }
    maxNanos = TimeUnit.NANOSECONDS.convert(age);
  }

  @Override
  public boolean isDue(BlockInfo block) {
    return block.ageNanos() >= maxNanos;
  }

  @Override
  public String toString() {
    return "TimeBasedRecycle[" + Duration.ofNanos(maxNanos) + "]";
  }
}
