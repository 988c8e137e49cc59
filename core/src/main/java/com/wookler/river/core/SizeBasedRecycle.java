package com.wookler.river.core;

import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.config.Configurable;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.settings.Settings;
import com.wookler.river.core.log.BlockInfo;
import com.wookler.river.core.log.RecycleStrategy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Recycles a block when it holds a number of messages or of bytes, whichever comes first. Exact for
 * single messages; a batch is never split, so a block may pass its limit by one batch.
 *
 * <p>In XML: {@code recycle.size} (messages), {@code recycle.bytes} (a size such as {@code 16MB}),
 * at least one of them, and also {@code recycle.time}, as {@link TimeBasedRecycle} has it.
 */
public final class SizeBasedRecycle implements RecycleStrategy, Configurable {
  private long maxMessages = Long.MAX_VALUE; // set before the queue starts, never after
  private long maxBytes = Long.MAX_VALUE;
  private RecycleStrategy other = QueueConfig.WHEN_FULL;

  /** For XML: then {@link #configure}. */
  public SizeBasedRecycle() {}

  private SizeBasedRecycle(long maxMessages, long maxBytes) {
    this.maxMessages = maxMessages;
    this.maxBytes = maxBytes;
  }

  /** Recycles by messages, 1 or more. */
  public static SizeBasedRecycle ofMessages(long messages) {
    if (messages < 1) {
      throw new ConfigurationException("recycle.size is " + messages + "; it must be 1 or more");
    }
    return new SizeBasedRecycle(messages, Long.MAX_VALUE);
  }

  /** Recycles by bytes of messages, with their envelopes, 1 or more. */
  public static SizeBasedRecycle ofBytes(long bytes) {
    if (bytes < 1) {
      throw new ConfigurationException("recycle.bytes is " + bytes + "; it must be 1 or more");
    }
    return new SizeBasedRecycle(Long.MAX_VALUE, bytes);
  }

  @Override
  public void configure(ConfigNode node) {
    Settings read = QueueConfig.readRecycle(node);
    if (!read.isGiven(QueueOptions.RECYCLE_MESSAGES) && !read.isGiven(QueueOptions.RECYCLE_BYTES)) {
      throw node.error(
          QueueOptions.RECYCLE_MESSAGES.name(),
          "is missing: give the number of messages, or " + QueueOptions.RECYCLE_BYTES.name());
    }
    maxMessages = orNever(read.find(QueueOptions.RECYCLE_MESSAGES));
    maxBytes = orNever(read.find(QueueOptions.RECYCLE_BYTES));
    Duration age = read.find(QueueOptions.RECYCLE_AGE);
    other = age == null ? QueueConfig.WHEN_FULL : TimeBasedRecycle.every(age);
  }

  private static long orNever(@Nullable Long limit) {
    return limit == null ? Long.MAX_VALUE : limit;
  }

  @Override
  public boolean isDue(BlockInfo block) {
    return block.messages() >= maxMessages || block.bytes() >= maxBytes || other.isDue(block);
  }

  @Override
  public String toString() {
    String both = "SizeBasedRecycle[messages=" + maxMessages + ", bytes=" + maxBytes + "]";
    return other == QueueConfig.WHEN_FULL ? both : both + " or " + other;
  }
}
