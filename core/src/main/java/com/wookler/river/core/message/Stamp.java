package com.wookler.river.core.message;

import static com.wookler.river.core.message.DocumentFormat.CHECK_AT;
import static com.wookler.river.core.message.DocumentFormat.COUNT_AT;
import static com.wookler.river.core.message.DocumentFormat.FIRST_AT;
import static com.wookler.river.core.message.DocumentFormat.HEADER_BYTES;
import static com.wookler.river.core.message.DocumentFormat.LENGTH_AT;
import static com.wookler.river.core.message.DocumentFormat.MAGIC;
import static com.wookler.river.core.message.DocumentFormat.TIME_AT;

import com.wookler.river.core.message.DocumentFormat.HeaderCheck;
import java.util.UUID;

/**
 * Completes the header of a document with what only the append knows: sequence, time and block.
 * Guarded by the append lock of the log that has it.
 */
public final class Stamp {
  private final HeaderCheck check;

  /** Creates a stamp for the documents of this queue. */
  public Stamp(UUID queue) {
    this.check = new HeaderCheck(queue);
  }

  /** Writes the header into the document, and returns its part of the block's digest. */
  public long stamp(DocumentWriter document, int block, long firstSequence, long micros) {
    int count = document.count();
    int length = document.length() - HEADER_BYTES;
    int checked = check.of(block, firstSequence, micros, HeaderCheck.size(count, length));
    document
        .memory()
        .putInt(0, MAGIC)
        .putInt(CHECK_AT, checked)
        .putLong(FIRST_AT, firstSequence)
        .putLong(TIME_AT, micros)
        .putInt(COUNT_AT, count)
        .putInt(LENGTH_AT, length);
    return DocumentFormat.digest(document.digest(), checked);
  }
}
