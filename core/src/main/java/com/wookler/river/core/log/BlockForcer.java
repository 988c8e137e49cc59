package com.wookler.river.core.log;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Brings blocks to the device, by descriptors of its own, and seals those that are closed.
 *
 * <p>Chronicle's own sync forces nothing by default and swallows errors. Confined to the queue's
 * serial task on the pool of threads that nobody interrupts: an interrupt would close the channel
 * for good.
 */
final class BlockForcer {
  private final Path directory;
  private final UUID identity;
  private @Nullable FileChannel channel;
  private int channelBlock;
  private int newestSeen;
  private volatile long forcedEnd; // written by the serial task, read by housekeeping

  BlockForcer(Path directory, UUID identity, long forcedEnd) {
    this.directory = directory;
    this.identity = identity;
    this.forcedEnd = forcedEnd;
  }

  /** All messages below it are on the device. */
  long forcedEnd() {
    return forcedEnd;
  }

  /**
   * Forces these blocks, which hold all that is not forced yet, oldest first.
   *
   * @param end the log's next sequence, read before the blocks
   */
  void force(Collection<Block> blocks, long end) throws IOException {
    for (Block block : blocks) {
      boolean closed = block.sealed();
      force(block);
      if (closed) {
        closeChannel();
        seal(block);
      }
    }
    forcedEnd = Math.max(forcedEnd, end);
  }

  private void force(Block block) throws IOException {
    try {
      if (channel == null || channelBlock != block.number()) {
        closeChannel();
        channel = FileChannel.open(block.file(), StandardOpenOption.WRITE);
        channelBlock = block.number();
      }
      channel.force(false);
      if (block.number() > newestSeen) {
        DurableFiles.forceDirectory(directory);
        newestSeen = block.number();
      }
    } catch (NoSuchFileException e) {
      if (block.messages() > 0) {
        throw e;
      }
    }
  }

  private void seal(Block block) throws IOException {
    Path file = BlockName.seal(directory, block.number());
    if (!Files.exists(file)) {
      DurableFiles.write(file, block.toSeal(identity).encode());
    }
  }

  private void closeChannel() throws IOException {
    if (channel != null) {
      channel.close();
      channel = null;
    }
  }

  /** Gives the descriptor back. */
  void close() throws IOException {
    closeChannel();
  }
}
