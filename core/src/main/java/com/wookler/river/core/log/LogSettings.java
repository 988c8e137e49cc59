package com.wookler.river.core.log;

import com.wookler.river.common.TimeSource;
import java.nio.file.Path;
import java.util.UUID;

/**
 * What a log needs to know.
 *
 * @param queue name of the queue, for error texts
 * @param identity of the queue, part of every checksum
 * @param directory of the block files
 * @param blockBytes size at which a block is closed whatever its strategy says
 * @param strategy when a block is closed before that
 * @param time clock
 */
public record LogSettings(
    String queue,
    UUID identity,
    Path directory,
    long blockBytes,
    RecycleStrategy strategy,
    TimeSource time) {

  private static final long CHUNK_MARGIN = 16L << 20;

  /** What is mapped of a block at a time. */
  long chunkBytes() {
    return blockBytes + CHUNK_MARGIN;
  }

  /** The largest document: beyond a quarter of the chunk it could not be mapped in one piece. */
  long maxDocumentBytes() {
    return chunkBytes() / 4;
  }
}
