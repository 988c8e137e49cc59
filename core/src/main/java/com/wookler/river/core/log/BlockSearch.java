package com.wookler.river.core.log;

import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.DocumentReader;
import java.io.IOException;
import java.util.Objects;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.wire.DocumentContext;

/**
 * Finds a document of a block by sequence or time, by Chronicle's index of the block's documents
 * and binary search over them, and places the cursor at it.
 *
 * <p>Its tailer opens files: an interrupted thread must clear its flag before. An {@link
 * IOException} says that one cannot be opened now.
 */
final class BlockSearch implements AutoCloseable {
  private final ChronicleStore store;
  private final BlockCursor cursor;
  private final DocumentReader document;
  private final ExcerptTailer tailer;

  BlockSearch(ChronicleStore store, BlockCursor cursor, DocumentReader document) {
    this.store = store;
    this.cursor = cursor;
    this.document = document;
    this.tailer = store.tailer();
  }

  /** Places the cursor at the document that must hold the sequence. */
  void sequence(Block block, long sequence) throws IOException {
    long place = sequence - block.firstSequence();
    if (block.holdsBatch()) {
      place = batched(block, sequence, Math.min(place, block.documents() - 1));
    }
    place(block, place);
  }

  /** The place of the document that holds the sequence. */
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

  private void place(Block block, long ordinal) throws IOException {
    cursor.place(block.number(), offsetOf(block, ordinal));
  }

  private long offsetOf(Block block, long ordinal) throws IOException {
    try {
      if (!tailer.moveToIndex(store.index(block.number(), ordinal))) {
        throw endsBefore();
      }
      try (DocumentContext context = tailer.readingDocument()) {
        if (!context.isPresent()) {
          throw endsBefore();
        }
        return Objects.requireNonNull(context.wire()).bytes().readPosition()
            - BlockWalk.HEADER_BYTES;
      }
    } catch (DamagedMessageException e) {
      throw e;
    } catch (Throwable e) { // Chronicle throws what it does not declare
      throw store.damaged(block.number(), e);
    }
  }

  private static DamagedMessageException endsBefore() {
    return new DamagedMessageException("damaged: its block ends before it");
  }

  @Override
  public void close() {
    tailer.close();
  }
}
