package com.wookler.river.core.message;

import static com.wookler.river.core.message.DocumentFormat.INT;
import static com.wookler.river.core.message.DocumentFormat.LONG;

import java.util.zip.CRC32C;

/** The bytes of an array; one object is used for one array after the other. */
final class ArrayBytes implements DocumentBytes {
  private byte[] bytes = new byte[0];

  ArrayBytes of(byte[] array) {
    bytes = array;
    return this;
  }

  @Override
  public int intAt(long offset) {
    return (int) INT.get(bytes, (int) offset);
  }

  @Override
  public long longAt(long offset) {
    return (long) LONG.get(bytes, (int) offset);
  }

  @Override
  public byte byteAt(long offset) {
    return bytes[(int) offset];
  }

  @Override
  public void copy(long offset, byte[] to, int at, int length) {
    System.arraycopy(bytes, (int) offset, to, at, length);
  }

  @Override
  public void update(CRC32C crc, long offset, int length) {
    crc.update(bytes, (int) offset, length);
  }
}
