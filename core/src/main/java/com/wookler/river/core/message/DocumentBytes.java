package com.wookler.river.core.message;

import java.util.zip.CRC32C;

/**
 * The bytes that documents are read from: an array, or a mapping that is read in place. Numbers are
 * little-endian and need no alignment. Offsets are not checked.
 */
public interface DocumentBytes {
  /** Returns the four bytes at an offset. */
  int intAt(long offset);

  /** Returns the eight bytes at an offset. */
  long longAt(long offset);

  /** Returns the byte at an offset. */
  byte byteAt(long offset);

  /** Copies bytes to the start of the array. */
  default void copy(long offset, byte[] to, int length) {
    copy(offset, to, 0, length);
  }

  /** Copies bytes into the array, from an index on. */
  void copy(long offset, byte[] to, int at, int length);

  /** Adds bytes to the checksum. */
  void update(CRC32C crc, long offset, int length);
}
