package com.wookler.river.common.ids;

import com.wookler.river.common.file.RecordFile;
import com.wookler.river.common.file.Series;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Scans a file of ids; after a damaged record it continues at the next valid one. */
final class IdScan implements RecordFile.Visitor {
  private static final int NOWHERE = -1;

  final CRC32C digest = new CRC32C(); // CRC32C of the records up to whole
  final @Nullable IdHeader header; // null if the file does not begin as it should
  // all ids of messages below this sequence are in the files up to here; below 0 if unknown
  long covered = NOWHERE;
  long oldest = NOWHERE; // number of the oldest file that was needed then
  int ids;
  long whole; // offset after the last valid record
  private final String headerFault;
  private final Visitor visitor;
  private long damagedAt = NOWHERE; // the first byte that belongs to no record

  /** Takes the records in their order. */
  @FunctionalInterface
  interface Visitor {
    /** Takes a record that begins at this offset; returns whether to read on. */
    boolean record(IdRecord record, long at);
  }

  /** Scans a file; one that is another queue's, or has another number, has no valid record. */
  IdScan(RecordFile file, Visitor visitor) throws IOException {
    Series.Header found = file.header(IdHeader.MOST_BYTES);
    ByteBuffer payload = found.payload();
    this.visitor = visitor;
    this.headerFault = found.fault();
    this.header = payload == null ? null : IdHeader.of(file.number(), payload);
    this.whole = found.end();
    file.scan(found.end(), file.size(), this);
  }

  @Override
  public boolean record(ByteBuffer bytes, long at, int size) {
    IdRecord record = IdRecord.of(bytes);
    if (!visitor.record(record, at)) {
      return false;
    }
    whole = at + size;
    digest.update(bytes);
    if (record.kind() == IdRecord.ID) {
      ids++;
    } else {
      covered = record.sequence();
      oldest = record.oldest();
    }
    return true;
  }

  @Override
  public void damaged(long from, long to) {
    damagedAt = damagedAt < 0 ? from : damagedAt;
  }

  /** Returns what is wrong with the file, empty if nothing; the end of the last may be torn. */
  String fault(boolean last) {
    boolean torn = damagedAt >= whole;
    if (torn && last && (header == null || headerFault.isEmpty())) {
      return "";
    }
    if (!headerFault.isEmpty()) {
      return headerFault;
    }
    return damagedAt < 0 ? "" : "is damaged at byte " + damagedAt;
  }
}
