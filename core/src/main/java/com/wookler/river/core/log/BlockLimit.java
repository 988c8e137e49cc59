package com.wookler.river.core.log;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decides when a block is to be closed: by its size, or by the user's strategy. */
final class BlockLimit {
  private static final Logger LOG = LoggerFactory.getLogger(BlockLimit.class);

  private final LogSettings settings;
  private int failedIn; // the block in which the strategy failed; guarded by the append lock

  BlockLimit(LogSettings settings) {
    this.settings = settings;
  }

  /** Returns whether this block holds a message and is to be closed now; under the append lock. */
  boolean isReached(Block block) {
    if (block.messages() == 0) {
      return false;
    }
    if (block.end() >= settings.blockBytes()) {
      return true;
    }
    try {
      return settings.strategy().isDue(block);
    } catch (Throwable e) { // the message is stored: nothing of the user's may deny it
      if (failedIn != block.number()) { // once a block, not once a message
        failedIn = block.number();
        LOG.error(
            "Queue {}: {} failed; the block stays open", settings.queue(), settings.strategy(), e);
      }
      return false;
    }
  }
}
