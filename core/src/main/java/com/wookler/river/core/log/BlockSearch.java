package com.wookler.river.core.log;

import com.wookler.river.core.log.chronicle.ChronicleHeader;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.DocumentReader;
import java.io.IOException;

/**
 * Finds a document of a block by sequence or time, by the store's index of the block's documents
 * and binary search over them, and moves the cursor to it.
 *
 * <p>The index is read where the block is mapped, and nothing is stored: a tailer of the store
 * would write into the table of the log's directory, which on a volume that has become read-only is
 * an error of a mapped page.
 *
 * <p>The block's file may be opened: an interrupted thread must clear its flag before. An {@link
 * IOException} says that it cannot be opened now.
 */
final class BlockSearch {
  private final BlockCursor cursor;
  private final DocumentReader document;

  BlockSearch(BlockCursor cursor, DocumentReader document) {
    this.cursor = cursor;
    this.document = document;
  }

  /** Moves the cursor to the document that must hold the sequence. */
  void sequence(Block block, long sequence) throws IOException {
    long ordinal = sequence - block.firstSequence();
    if (block.holdsBatch()) {
      ordinal = batched(block, sequence, Math.min(ordinal, block.documents() - 1));
    }
    place(block, ordinal);
  }

  /** Returns the ordinal of the document that holds the sequence. */
  private long batched(Block block, long sequence, long last) throws IOException {
    long low = 0;
    long high = last;
    while (low < high) {
      long middle = (low + high + 1) >>> 1;
      open(block, middle);
      if (document.firstSequence() <= sequence) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /** Opens the first document of the block that was published at or after this time. */
  void time(Block block, long micros) throws IOException {
    long low = 0;
    long high = block.documents() - 1;
    while (low < high) {
      long middle = (low + high) >>> 1;
      open(block, middle);
      if (document.micros() < micros) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    open(block, low);
  }

  private void open(Block block, long ordinal) throws IOException {
    place(block, ordinal);
    if (!cursor.openNext()) {
      throw endsBefore();
    }
  }

  /**
   * Moves to an indexed document at or before the one of this ordinal, and from there by headers.
   */
  private void place(Block block, long ordinal) throws IOException {
    cursor.place(block.number(), 0);
    long entry = ordinal / ChronicleHeader.SPACING;
    while (entry > 0 && !cursor.placeByIndex(entry)) {
      entry--; // an index that was written anew covers the first documents only
    }
    for (long at = entry * ChronicleHeader.SPACING; at < ordinal; at++) {
      if (!cursor.skipNext()) {
        throw endsBefore();
      }
    }
  }

  private static DamagedMessageException endsBefore() {
    return new DamagedMessageException("damaged: its block ends before it");
  }
}
