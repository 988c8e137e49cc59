package com.wookler.river.core.log;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.file.OwnershipCheck;
import com.wookler.river.core.log.files.LogDirectory;
import com.wookler.river.core.message.MessageTooLargeException;
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
 * @param diskReserve bytes of the volume that blocks leave free; 0: none
 * @param time clock
 * @param largest a document that may have to be appended whatever the size of blocks allows; 0:
 *     none
 * @param ownershipCheck whether the directory is this process's own still
 */
public record LogSettings(
    String queue,
    UUID identity,
    Path directory,
    long blockBytes,
    RecycleStrategy strategy,
    long diskReserve,
    TimeSource time,
    long largest,
    OwnershipCheck ownershipCheck) {

  static final long CHUNK_MARGIN = 16L << 20;
  private static final int DOCUMENT_PARTS = 4; // of a chunk

  LogDirectory log() {
    return new LogDirectory(queue, identity, directory);
  }

  /** Returns what is mapped of a block at a time; more where an older block has more. */
  long chunkBytes() {
    long needed = BlockSpace.roundUp(DOCUMENT_PARTS * largest);
    return Math.max(blockBytes + CHUNK_MARGIN, needed);
  }

  /** Refuses a document of over a quarter of the mapping with a MessageTooLargeException. */
  void checkLength(int length) {
    if (length > maxDocumentBytes()) {
      throw new MessageTooLargeException(
          "queue %s: a batch of %d bytes is over the limit of %d that its block size allows; split it or raise queue.block.bytes"
              .formatted(queue, length, maxDocumentBytes()));
    }
  }

  /** Returns the longest document that can be mapped in one piece: a quarter of the chunk. */
  long maxDocumentBytes() {
    return chunkBytes() / DOCUMENT_PARTS;
  }
}
