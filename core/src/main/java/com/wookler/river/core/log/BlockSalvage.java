package com.wookler.river.core.log;

import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.DocumentFormat;
import com.wookler.river.core.message.DocumentReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

/**
 * Looks behind the place where a block breaks off for documents that prove themselves, to tell a
 * hole, with messages behind it, from a torn end.
 *
 * <p>A document proves itself by its checksums, which hold queue and block, and by a header of
 * Chronicle's that is complete and fits its length; the document that was being written when the
 * process died has no such header. Headers stand at multiples of four, so those are tried where our
 * own first bytes follow.
 */
final class BlockSalvage {
  private static final int WINDOW_BYTES = 1 << 20;
  private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(WINDOW_BYTES);

  /** What a try needs: Chronicle's header and ours. */
  private static final int PREFIX_BYTES = 4 + DocumentFormat.HEADER_BYTES;

  private final FileChannel channel;
  private final DocumentReader reader;
  private final long bytes; // of the file: limits may have been larger when it was written
  private final int block;
  private final BlockScanner.Visitor visitor;
  private long messages;
  private long firstSequence = Long.MAX_VALUE;
  private long endSequence = -1;
  private long usedEnd;

  private BlockSalvage(FileChannel channel, UUID queue, int block, BlockScanner.Visitor visitor)
      throws IOException {
    this.channel = channel;
    this.bytes = channel.size();
    this.block = block;
    this.visitor = visitor;
    this.reader = new DocumentReader(queue);
  }

  /**
   * What was found.
   *
   * @param messages whole ones; 0 for a torn end
   * @param firstSequence of the first of them
   * @param endSequence the sequence after the last of them
   * @param usedEnd the offset behind the last bytes that are not 0
   */
  record Found(long messages, long firstSequence, long endSequence, long usedEnd) {}

  /** Searches from an offset to the end of the file. */
  static Found search(Path file, long from, LogSettings settings, int block) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      BlockScanner.Visitor none = (offset, document, length) -> {};
      return new BlockSalvage(channel, settings.identity(), block, none).run((from + 3) & ~3L);
    }
  }

  /** Likewise, in a block of this queue, and shows each document that it finds to the visitor. */
  static Found search(Path file, long from, UUID queue, int block, BlockScanner.Visitor visitor)
      throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      return new BlockSalvage(channel, queue, block, visitor).run((from + 3) & ~3L);
    }
  }

  private Found run(long from) throws IOException {
    ByteBuffer window = ByteBuffer.allocateDirect(WINDOW_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    long at = from;
    while (fill(window, at) >= PREFIX_BYTES) {
      int last = window.limit() - PREFIX_BYTES;
      int offset = 0;
      while (offset <= last) {
        if (window.getInt(offset) == 0) {
          offset = behindZeros(window, offset, last);
        } else {
          usedEnd = at + offset + 4;
          offset += candidate(window, offset) ? step(at + offset, window.getInt(offset)) : 4;
        }
      }
      at += offset;
    }
    return new Found(messages, firstSequence, endSequence, usedEnd);
  }

  /**
   * A block whose content was never written is zeros to the end of its mapping, and many may be.
   */
  private static int behindZeros(ByteBuffer window, int offset, int last) {
    ByteBuffer rest = window.slice(offset, window.limit() - offset);
    int zeros = rest.mismatch(ZEROS.slice(0, rest.limit()));
    return zeros < 0 ? (last & ~3) + 4 : offset + (zeros & ~3);
  }

  private int fill(ByteBuffer window, long at) throws IOException {
    window.clear();
    int read;
    do {
      read = channel.read(window, at + window.position());
    } while (read > 0 && window.hasRemaining());
    return window.flip().limit();
  }

  private boolean candidate(ByteBuffer window, int offset) {
    int length = window.getInt(offset);
    return length >= DocumentFormat.HEADER_BYTES
        && length <= bytes
        && DocumentFormat.startsLikeDocument(window.getInt(offset + 4));
  }

  /** Tries a document; returns how far the search goes on: behind it if it is one. */
  private int step(long offset, int length) throws IOException {
    byte[] document = new byte[length];
    ByteBuffer bytes = ByteBuffer.wrap(document);
    while (bytes.hasRemaining()) {
      if (channel.read(bytes, offset + 4 + bytes.position()) <= 0) {
        return 4;
      }
    }
    try {
      reader.open(document, length, block);
      long first = reader.firstSequence();
      int count = reader.count();
      reader.verify();
      messages += count;
      firstSequence = Math.min(firstSequence, first);
      endSequence = Math.max(endSequence, first + count);
      visitor.document(offset, document, length);
      usedEnd = offset + 4 + length;
      return 4 + ((length + 3) & ~3);
    } catch (DamagedMessageException e) {
      return 4;
    }
  }
}
