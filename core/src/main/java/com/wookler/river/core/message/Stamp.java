package com.wookler.river.core.message;

import static com.wookler.river.core.message.DocumentFormat.COUNT_AT;
import static com.wookler.river.core.message.DocumentFormat.CRC_AT;
import static com.wookler.river.core.message.DocumentFormat.FIRST_AT;
import static com.wookler.river.core.message.DocumentFormat.HEADER_BYTES;
import static com.wookler.river.core.message.DocumentFormat.INT;
import static com.wookler.river.core.message.DocumentFormat.LENGTH_AT;
import static com.wookler.river.core.message.DocumentFormat.LONG;
import static com.wookler.river.core.message.DocumentFormat.MAGIC;
import static com.wookler.river.core.message.DocumentFormat.TIME_AT;

import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * Completes the header of a document with what only the append knows: sequence, time and block.
 *
 * <p>Not thread-safe: one a log, guarded by its append lock.
 */
public final class Stamp {
  private final byte[] header = new byte[HEADER_BYTES];
  private final DocumentFormat.HeaderCheck check;

  /** For the documents of this queue. */
  public Stamp(UUID queue) {
    this.check = new DocumentFormat.HeaderCheck(queue);
    INT.set(header, 0, MAGIC);
  }

  /**
   * Writes the header into the document.
   *
   * @return the document's part of the block's digest
   */
  public long stamp(DocumentWriter document, int block, long firstSequence, long micros) {
    LONG.set(header, FIRST_AT, firstSequence);
    LONG.set(header, TIME_AT, micros);
    INT.set(header, COUNT_AT, document.count());
    INT.set(header, LENGTH_AT, document.length() - HEADER_BYTES);
    int crc = check.of(block, header, 0);
    INT.set(header, CRC_AT, crc);
    ByteBuffer memory = document.memory();
    memory.put(0, header);
    return DocumentFormat.digest(document.digest(), crc);
  }
}
