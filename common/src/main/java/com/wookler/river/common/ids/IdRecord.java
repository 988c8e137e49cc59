package com.wookler.river.common.ids;

import com.wookler.river.common.file.Series;
import java.nio.ByteBuffer;

/**
 * The content of a record of a file of ids. Numbers are little-endian:
 *
 * <pre>
 *  offset  size  what
 *       0     1  1: an id; 2: all ids of messages below the sequence are in the files so far
 *       1     8  sequence
 *       9     8  publish time, microseconds since 1970
 *      17     …  the id in UTF-8; of kind 2, number of the oldest file that is still needed (8)
 * </pre>
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record IdRecord(byte kind, long sequence, long micros, byte[] id) {
  static final byte ID = 1;
  static final byte COVERED = 2;

  static final int FIXED_BYTES = 17;
  static final int MOST = FIXED_BYTES + 0xFFFF;

  /** Returns the record which says that all ids of messages below a sequence are in the files. */
  static IdRecord covered(long end, long micros, long oldest) {
    byte[] number = ByteBuffer.allocate(Long.BYTES).putLong(oldest).array();
    return new IdRecord(COVERED, end, micros, number);
  }

  /** Returns the number of the oldest file that was needed when this one of kind 2 was written. */
  long oldest() {
    return ByteBuffer.wrap(id).getLong();
  }

  int bytes() {
    return Series.PREFIX_BYTES + FIXED_BYTES + id.length;
  }

  /** Writes it into a little-endian buffer, without its prefix. */
  void write(ByteBuffer to, int at) {
    int from = at + Series.PREFIX_BYTES;
    to.put(from, kind).putLong(from + 1, sequence).putLong(from + 9, micros);
    to.put(from + FIXED_BYTES, id);
  }

  /** Returns the record in a little-endian buffer from its prefix to its end. */
  static IdRecord of(ByteBuffer record) {
    int from = Series.PREFIX_BYTES;
    byte[] id = new byte[record.limit() - from - FIXED_BYTES];
    record.get(from + FIXED_BYTES, id);
    return new IdRecord(record.get(from), record.getLong(from + 1), record.getLong(from + 9), id);
  }
}
