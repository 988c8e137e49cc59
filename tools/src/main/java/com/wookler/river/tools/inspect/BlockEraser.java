package com.wookler.river.tools.inspect;

import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.core.log.chronicle.DocumentHeader;
import com.wookler.river.core.log.files.BlockCompactor;
import com.wookler.river.core.log.files.BlockFile;
import com.wookler.river.core.log.files.BlockWalk;
import com.wookler.river.core.log.files.Seal;
import com.wookler.river.core.message.DocumentEraser;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

/**
 * Erases messages of a block's file: in a copy, which replaces the file when it is on the device.
 * So a hard link of the file keeps its content, and a crash leaves the one or the other.
 *
 * <p>Not while a queue has the block open.
 */
final class BlockEraser {
  private static final int COPIED_BYTES = 256 << 10;
  private static final ByteBuffer ZEROS = ByteBuffer.allocate(COPIED_BYTES).asReadOnlyBuffer();

  private final UUID queue;
  private final int block;
  private final DocumentEraser eraser;

  /** Creates an eraser of one block. */
  BlockEraser(UUID queue, int block, DocumentEraser eraser) {
    this.queue = queue;
    this.block = block;
    this.eraser = eraser;
  }

  /** Shows the documents of a file, those after a break too. */
  private void walk(Path file, BlockWalk.Visitor visitor) throws IOException {
    BlockFile from = new BlockFile(block, file);
    BlockFile.End end = from.walkClosed(visitor);
    if (end.ending() == BlockWalk.Ending.BROKEN) {
      from.behind(end.offset(), queue, visitor);
    }
  }

  /** Returns how many messages {@link #erase} would erase. */
  long count(Path file) throws IOException {
    long[] found = {0};
    walk(file, (offset, document, length) -> found[0] += eraser.erase(document, length, block));
    return found[0];
  }

  /** Erases messages of a file in place, and forces it. */
  void erase(Path file) throws IOException {
    try (FileChannel out = FileChannel.open(file, StandardOpenOption.WRITE)) {
      walk(
          file,
          (offset, document, length) -> {
            if (eraser.erase(document, length, block) > 0) {
              ByteBuffer bytes = ByteBuffer.wrap(document, 0, length);
              for (long at = offset + DocumentHeader.BYTES; bytes.hasRemaining(); ) {
                at += out.write(bytes, at);
              }
            }
          });
      out.force(true);
    }
  }

  /** Erases messages in a copy that replaces the file, which no seal describes. */
  void replace(Path file) throws IOException {
    DurableFiles.rename(erasedCopy(file), file);
  }

  /**
   * Erases messages of a closed block, and seals it again. Until then it has no seal: the next
   * opening makes one from what is there.
   *
   * @throws com.wookler.river.core.message.DamagedMessageException it is not what its seal says;
   *     nothing was changed
   */
  void replace(Path file, Path sealFile, Seal seal) throws IOException {
    BlockCompactor.require(file, seal);
    Path copy = erasedCopy(file);
    Seal after = BlockCompactor.reseal(copy, seal, seal.bytes());
    Files.delete(sealFile);
    DurableFiles.rename(copy, file);
    DurableFiles.write(sealFile, after.encode());
  }

  private Path erasedCopy(Path file) throws IOException {
    Path copy = file.resolveSibling(file.getFileName() + DurableFiles.TEMPORARY);
    try (FileChannel from = FileChannel.open(file, StandardOpenOption.READ);
        FileChannel to = DurableFiles.create(copy)) {
      copy(from, to);
    }
    erase(copy);
    return copy;
  }

  /** Copies a file, without writing the zeros of which most of one may consist. */
  private static void copy(FileChannel from, FileChannel to) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocateDirect(COPIED_BYTES);
    long size = from.size();
    int read;
    for (long at = 0; at < size; at += read) {
      read = from.read(bytes.clear(), at);
      if (bytes.flip().mismatch(ZEROS.slice(0, bytes.limit())) >= 0) {
        for (long end = at; bytes.hasRemaining(); ) {
          end += to.write(bytes, end);
        }
      }
    }
    if (to.size() < size) {
      to.write(ZEROS.slice(0, 1), size - 1);
    }
  }
}
