package com.wookler.river.core.log;

import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is done ahead of the appender: the next block's file, and the pages of the active one.
 *
 * <p>All under the append lock but {@link #end}. None of it must keep an append from ending well.
 */
final class Ahead {
  private static final Logger LOG = LoggerFactory.getLogger(Ahead.class);

  private final BlockMaker maker;
  private final PageToucher toucher;

  Ahead(BlockMaker maker, PageToucher toucher) {
    this.maker = maker;
    this.toucher = toucher;
  }

  /** The log was opened, and goes on in this block. */
  void opened(Block active, long micros) {
    maker.started(0, micros);
    toucher.started(active.end(), 0);
  }

  /**
   * A block is about to start.
   *
   * @return how many bytes of its file were made
   */
  long starting(Block block) throws IOException {
    return maker.starting(block.number());
  }

  /** It has started, and is the active one. */
  void started(Block block, long made) {
    toucher.started(block.end(), made);
  }

  /** It has taken the place of this one. */
  void recycled(Block before, long micros) {
    maker.started(before.end(), micros);
  }

  /** The active block has grown. */
  void grown(Block active, long micros) {
    try {
      maker.grown(active.end(), micros);
      toucher.grown(active.end());
    } catch (RuntimeException | OutOfMemoryError e) { // what was appended is stored all the same
      LOG.warn("Nothing is made ahead of {}", active.file(), e);
    }
  }

  /** When this returns no page is touched any more: the file may be cut. */
  void end() {
    toucher.end();
  }
}
