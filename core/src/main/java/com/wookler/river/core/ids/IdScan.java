package com.wookler.river.core.ids;

import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * What the records of a file of ids say; after a damaged one the scan continues at the next valid
 * one.
 *
 * @param header null if the file does not begin as it should
 * @param covered all ids of messages below this sequence are in the files up to here; less than 0
 *     if the file does not say it
 * @param oldest number of the oldest file that was needed then; less than 0 if there is none
 * @param ids how many there are
 * @param whole offset after the last valid record
 * @param damagedAt offset of the first byte that belongs to no record; less than 0 if none is
 * @param digest CRC32C of the bytes up to {@code whole}
 * @param length of the file
 */
record IdScan(
    @Nullable IdHeader header,
    long covered,
    long oldest,
    int ids,
    int whole,
    int damagedAt,
    int digest,
    int length) {
  private static final int NOWHERE = -1;

  /** Gets the records in their order. */
  @FunctionalInterface
  interface Visitor {
    /** Takes a record that begins at this offset; returns whether to read on. */
    boolean record(IdRecord record, int at);
  }

  static IdScan of(byte[] content, Visitor visitor) {
    ByteBuffer bytes = ByteBuffer.wrap(content);
    IdHeader header = null;
    long covered = NOWHERE;
    long oldest = NOWHERE;
    int ids = 0;
    int whole = 0;
    int damagedAt = NOWHERE;
    while (bytes.hasRemaining()) {
      int at = bytes.position();
      IdRecord record = IdRecord.read(bytes);
      if (record == null) {
        damagedAt = damagedAt < 0 ? at : damagedAt;
        bytes.position(at + 1); // up to the next valid one
        continue;
      }
      if (!visitor.record(record, at)) {
        break;
      }
      whole = bytes.position();
      if (at == 0) {
        header = IdHeader.of(record);
      } else if (record.kind() == IdRecord.ID) {
        ids++;
      } else if (record.kind() == IdRecord.COVERED) {
        covered = record.sequence();
        oldest = record.oldest();
      }
    }
    CRC32C digest = new CRC32C();
    digest.update(content, 0, whole);
    return new IdScan(
        header, covered, oldest, ids, whole, damagedAt, (int) digest.getValue(), content.length);
  }

  /** Returns whether only the end is damaged, which a crash may leave torn. */
  boolean isTorn() {
    return damagedAt >= whole && damagedAt >= 0;
  }

  /**
   * Returns what is wrong with a file; null if nothing is.
   *
   * @param last whether it is the newest one, whose end may be torn
   */
  @Nullable String fault(long number, UUID queue, boolean last) {
    if (last && isTorn()) {
      return null;
    }
    if (header == null) {
      return length == 0 ? "is empty" : "does not begin as it should";
    }
    if (!header.queue().equals(queue)) {
      return "belongs to another queue";
    }
    if (header.number() != number) {
      return "is file " + header.number() + " of its series by what it says";
    }
    return damagedAt < 0 ? null : "is damaged at byte " + damagedAt;
  }
}
