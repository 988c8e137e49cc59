package com.wookler.river.core.ids;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * One record of an id file. Numbers are little-endian:
 *
 * <pre>
 *  offset  size  what
 *       0     4  CRC32C of the L bytes from 8
 *       4     4  length L of what follows
 *       8     1  1: an id; 2: all ids of messages below the sequence are in the files so far;
 *                3: begins a file, see {@link IdHeader}
 *       9     8  sequence; of kind 3, number of the file
 *      17     8  publish time, microseconds since 1970
 *      25     …  the id in UTF-8; of kind 2, number of the oldest file that is still needed (8)
 * </pre>
 *
 * @param kind 1, 2 or 3
 * @param sequence of the message
 * @param micros of its publish time
 * @param id in UTF-8, or other content by the kind
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record IdRecord(byte kind, long sequence, long micros, byte[] id) {
  static final byte ID = 1;
  static final byte COVERED = 2;
  static final byte BEGIN = 3;

  static final int PREFIX_BYTES = 8;
  static final int FIXED_BYTES = 17;
  static final int MAX_LENGTH = FIXED_BYTES + 0xFFFF;

  /** Returns the record which says that all ids of messages below a sequence are in the files. */
  static IdRecord covered(long end, long micros, long oldest) {
    byte[] number = ByteBuffer.allocate(Long.BYTES).putLong(Long.reverseBytes(oldest)).array();
    return new IdRecord(COVERED, end, micros, number);
  }

  /** Returns the number of the oldest file that was needed when this one of kind 2 was written. */
  long oldest() {
    return id.length == Long.BYTES ? Long.reverseBytes(ByteBuffer.wrap(id).getLong()) : 0;
  }

  int bytes() {
    return PREFIX_BYTES + FIXED_BYTES + id.length;
  }

  void write(ByteBuffer to) {
    int start = to.position();
    to.order(ByteOrder.LITTLE_ENDIAN).position(start + PREFIX_BYTES);
    to.put(kind).putLong(sequence).putLong(micros).put(id);
    int length = FIXED_BYTES + id.length;
    to.putInt(start, check(to, start + PREFIX_BYTES, length)).putInt(start + 4, length);
  }

  /**
   * Returns the record at the buffer's position, which moves behind it; null if there is no valid
   * one.
   */
  static @Nullable IdRecord read(ByteBuffer from) {
    from.order(ByteOrder.LITTLE_ENDIAN);
    int start = from.position();
    if (from.remaining() < PREFIX_BYTES + FIXED_BYTES) {
      return null;
    }
    int length = from.getInt(start + 4);
    if (length < FIXED_BYTES
        || length > MAX_LENGTH
        || from.remaining() < PREFIX_BYTES + length
        || check(from, start + PREFIX_BYTES, length) != from.getInt(start)) {
      return null;
    }
    from.position(start + PREFIX_BYTES);
    byte kind = from.get();
    long sequence = from.getLong();
    long micros = from.getLong();
    byte[] id = new byte[length - FIXED_BYTES];
    from.get(id);
    return new IdRecord(kind, sequence, micros, id);
  }

  private static int check(ByteBuffer buffer, int start, int length) {
    CRC32C crc = new CRC32C();
    crc.update(buffer.duplicate().limit(start + length).position(start));
    return (int) crc.getValue() ^ length;
  }
}
