package com.wookler.river.core.log;

import com.wookler.river.core.log.chronicle.BlockStore;
import com.wookler.river.core.log.chronicle.BlockWindow;
import com.wookler.river.core.log.chronicle.ChronicleHeader;
import com.wookler.river.core.log.chronicle.DocumentHeader;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.DocumentReader;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Moves through the mapped documents of a block from one header to the next, up to the log's end,
 * which its owner has read. The {@link DocumentReader} validates them.
 *
 * <p>A block stays mapped until the cursor is closed or placed in another one, so close it before
 * the block's files are deleted, and before the store is closed.
 */
final class BlockCursor implements AutoCloseable {
  private static final int OFFSET_BITS = 32;
  private static final long NOWHERE = Long.MAX_VALUE;
  private static final long OFFSET = (1L << OFFSET_BITS) - 1;

  private final BlockStore store;
  private final DocumentReader document;
  private @Nullable BlockWindow window;
  private long next = NOWHERE; // offset of the header that comes next
  private long opened; // offset of the header of the document that was opened last

  BlockCursor(BlockStore store, DocumentReader document) {
    this.store = store;
    this.document = document;
  }

  /** Returns whether it is at a header; if not, it must be placed. */
  boolean isPlaced() {
    return next != NOWHERE;
  }

  /** Forgets its address, and keeps the block mapped. */
  void forgetPlace() {
    document.close();
    next = NOWHERE;
  }

  /** Returns the number of the block that it has mapped; -1 if none. */
  int block() {
    BlockWindow at = window;
    return at == null ? -1 : at.block();
  }

  /** Returns the generation of what it has mapped. */
  int generation() {
    BlockWindow at = window;
    return at == null ? 0 : at.generation();
  }

  boolean isAt(long location) {
    return document.count() > 0 && location() == location;
  }

  /** Returns block and offset of the document that was opened last. */
  long location() {
    return (long) block() << OFFSET_BITS | opened;
  }

  /** Opens the document at this address; throws a DamagedMessageException if none is there. */
  void open(long location) throws IOException {
    place((int) (location >>> OFFSET_BITS), location & OFFSET);
    if (!openNext() || opened != (location & OFFSET)) {
      throw new DamagedMessageException("damaged: no document at its address");
    }
  }

  /** Goes to a header of a block; a block without a valid file is damaged. */
  void place(int block, long offset) throws IOException {
    BlockWindow at = window;
    if (at == null || at.block() != block || !at.has(offset, DocumentHeader.BYTES)) {
      close();
      window = store.window(block, offset);
    }
    next = offset;
  }

  /** Goes to the document of an entry of this block's index; returns false if there is none. */
  boolean placeByIndex(long entry) {
    BlockWindow from = window;
    long offset = from == null ? 0 : ChronicleHeader.indexed(from, entry);
    if (offset != 0) {
      next = offset;
    }
    return offset != 0;
  }

  /** Opens the next document; returns false if the block's end follows, or damage. */
  boolean openNext() {
    BlockWindow from = window;
    long offset = findNext();
    if (from == null || offset == NOWHERE) {
      return false;
    }
    int header = from.intAt(offset);
    open(from, offset, DocumentHeader.lengthOf(header));
    next = offset + DocumentHeader.sizeOf(header);
    return true;
  }

  /** Skips the next document unread; returns false if none follows. */
  boolean skipNext() {
    BlockWindow from = window;
    long offset = findNext();
    if (from == null || offset == NOWHERE) {
      return false;
    }
    next = offset + DocumentHeader.sizeOf(from.intAt(offset));
    return true;
  }

  /** Returns the offset of the header of the next document that readers see. */
  private long findNext() {
    BlockWindow from = window;
    long offset = next;
    while (from != null && from.has(offset, DocumentHeader.BYTES)) {
      int header = from.intAt(offset);
      long size = DocumentHeader.sizeOf(header);
      if (size == 0) {
        return NOWHERE;
      }
      if (DocumentHeader.isMessage(header)) {
        return offset;
      }
      offset += size;
    }
    return NOWHERE;
  }

  private void open(BlockWindow from, long offset, int length) {
    long start = offset + DocumentHeader.BYTES;
    if (!from.has(start, length)) { // all of a block fits into a window
      throw new DamagedMessageException("damaged: a document claims " + length + " bytes");
    }
    document.open(from, start, length, from.block());
    opened = offset;
  }

  @Override
  public void close() {
    forgetPlace();
    if (window != null) {
      window.close();
      window = null;
    }
  }
}
