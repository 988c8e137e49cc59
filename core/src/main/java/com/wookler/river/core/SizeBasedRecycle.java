package com.wookler.river.core;

import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.config.Configurable;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.log.BlockInfo;
import com.wookler.river.core.log.RecycleStrategy;
import java.util.List;

/**
 * Recycles a block when it holds so many messages or so many bytes, whichever comes first.
 *
 * <p>Exact for single messages; a batch is never split, so a block may pass its limit by one batch.
 * In XML: {@code recycle.size} (messages), {@code recycle.bytes} (a size such as {@code 16MB}), at
 * least one of them.
 */
public final class SizeBasedRecycle implements RecycleStrategy, Configurable {
  private static final String SIZE = "recycle.size";
  private static final String BYTES = "recycle.bytes";

  /** Its parameters. */
  static final List<String> PARAMS = List.of(SIZE, BYTES);

  private long maxMessages = Long.MAX_VALUE; // set before the queue starts, never after
  private long maxBytes = Long.MAX_VALUE;

  /** For XML: then {@link #configure}. */
  public SizeBasedRecycle() {}

  private SizeBasedRecycle(long maxMessages, long maxBytes) {
    this.maxMessages = maxMessages;
    this.maxBytes = maxBytes;
  }

  /**
   * By messages.
   *
   * @param messages 1 or more
   */
  public static SizeBasedRecycle ofMessages(long messages) {
    if (messages < 1) {
      throw new ConfigurationException(SIZE + " is " + messages + "; it must be 1 or more");
    }
    return new SizeBasedRecycle(messages, Long.MAX_VALUE);
  }

  /**
   * By bytes of messages, with their envelopes.
   *
   * @param bytes 1 or more
   */
  public static SizeBasedRecycle ofBytes(long bytes) {
    if (bytes < 1) {
      throw new ConfigurationException(BYTES + " is " + bytes + "; it must be 1 or more");
    }
    return new SizeBasedRecycle(Long.MAX_VALUE, bytes);
  }

  @Override
  public void configure(ConfigNode node) {
    node.allowParams(PARAMS);
    if (node.param(SIZE).isEmpty() && node.param(BYTES).isEmpty()) {
      throw node.error(SIZE, "is missing: give the number of messages, or " + BYTES);
    }
    long messages = node.number(SIZE, Long.MAX_VALUE);
    long bytes = node.bytes(BYTES, Long.MAX_VALUE);
    if (messages < 1) {
      throw node.error(SIZE, "is " + messages + "; it must be 1 or more");
    }
    if (bytes < 1) {
      throw node.error(BYTES, "is " + bytes + "; it must be 1 or more");
    }
    maxMessages = messages;
    maxBytes = bytes;
  }

  @Override
  public boolean isDue(BlockInfo block) {
    return block.messages() >= maxMessages || block.bytes() >= maxBytes;
  }

  @Override
  public String toString() {
    return "SizeBasedRecycle[messages=" + maxMessages + ", bytes=" + maxBytes + "]";
  }
}
