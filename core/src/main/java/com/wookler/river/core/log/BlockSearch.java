package com.wookler.river.core.log;

import com.wookler.river.core.log.chronicle.ChronicleHeader;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.DocumentReader;
import java.io.IOException;

/**
 * Finds a document of a block by sequence or time with the store's index and a binary search, and
 * moves the cursor to it.
 *
 * <p>It reads the index where the block is mapped: a tailer of the store would write into the log's
 * table, which is an error of a mapped page on a read-only volume. It may open the block's file: an
 * interrupted thread must clear its flag before, and an {@link IOException} says that the file
 * cannot be opened now.
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

  /** Moves to an indexed document at or before this ordinal, and on from there by headers. */
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
