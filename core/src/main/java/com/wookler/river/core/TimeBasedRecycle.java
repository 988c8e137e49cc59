package com.wookler.river.core;

import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.config.Configurable;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.settings.Settings;
import com.wookler.river.core.log.BlockInfo;
import com.wookler.river.core.log.RecycleStrategy;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Recycles a block so long after its first message was published, also on an idle queue. An empty
 * block waits. In XML: {@code recycle.time}, such as {@code 10mm}, and also the parameters of
 * {@link SizeBasedRecycle}.
 */
public final class TimeBasedRecycle implements RecycleStrategy, Configurable {
  private long maxNanos = Long.MAX_VALUE; // set before the queue starts, never after
  private RecycleStrategy other = QueueConfig.WHEN_FULL;

  /** For XML: then {@link #configure}. */
  public TimeBasedRecycle() {}

  private TimeBasedRecycle(long maxNanos) {
    this.maxNanos = maxNanos;
  }

  /** Recycles by age, which is positive; of 292 years or more: never. */
  public static TimeBasedRecycle every(Duration age) {
    if (age.isZero() || age.isNegative()) {
      throw new ConfigurationException("recycle.time is " + age + "; it must be positive");
    }
    return new TimeBasedRecycle(TimeUnit.NANOSECONDS.convert(age));
  }

  @Override
  public void configure(ConfigNode node) {
    node.requireParam(QueueOptions.RECYCLE_AGE.name());
    Settings read = QueueConfig.readRecycle(node);
    maxNanos = TimeUnit.NANOSECONDS.convert(read.get(QueueOptions.RECYCLE_AGE));
    other = QueueConfig.recycle(read.with(QueueOptions.RECYCLE_AGE, null));
  }

  @Override
  public boolean isDue(BlockInfo block) {
    return block.ageNanos() >= maxNanos || other.isDue(block);
  }

  @Override
  public String toString() {
    String age = "TimeBasedRecycle[" + Duration.ofNanos(maxNanos) + "]";
    return other == QueueConfig.WHEN_FULL ? age : age + " or " + other;
  }
}
