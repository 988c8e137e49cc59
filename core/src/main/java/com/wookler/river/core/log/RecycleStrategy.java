package com.wookler.river.core.log;

import java.util.Objects;

/**
 * Decides when the active block has had enough and the next one starts.
 *
 * <p>Asked after each append, <b>under the append lock</b>, and from time to time on an idle queue.
 * It must be a pure, fast function of what it is shown: no I/O, no lock, no call back into the
 * queue. An exception is logged and counts as no. An empty block is never recycled, and {@code
 * queue.block.bytes} caps every strategy.
 *
 * <p>A strategy named in XML needs a public constructor without parameters; it is configured with
 * its {@code <recycle>} element if it is {@link com.wookler.river.common.config.Configurable}.
 */
@FunctionalInterface
public interface RecycleStrategy {
  /** Returns whether this block, which holds at least one message, is to be closed now. */
  boolean isDue(BlockInfo block);

  /** Returns the strategy that closes a block as soon as one of the two says so. */
  default RecycleStrategy or(RecycleStrategy other) {
    Objects.requireNonNull(other, "other");
    return block -> isDue(block) || other.isDue(block);
  }
}
