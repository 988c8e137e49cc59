package com.wookler.river.core.message;

import java.util.zip.CRC32C;

/**
 * The bytes among which documents lie: of an array, or of a mapping that is read in place.
 *
 * <p>Numbers are little-endian and need no alignment. Offsets are not checked: who reads keeps
 * within what there is.
 */
public interface DocumentBytes {
  /** Four bytes. */
  int intAt(long offset);

  /** Eight bytes. */
  long longAt(long offset);

  /** One byte. */
  byte byteAt(long offset);

  /** Copies so many bytes to the start of the array. */
  void copy(long offset, byte[] to, int length);

  /** Takes so many bytes into the checksum. */
  void update(CRC32C crc, long offset, int length);
}
