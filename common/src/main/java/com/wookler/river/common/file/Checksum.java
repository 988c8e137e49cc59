package com.wookler.river.common.file;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.zip.CRC32C;

/** Computes the CRC32C of blocks of bytes. */
public final class Checksum {
  private Checksum() {}

  /** Returns the CRC32C of a part of an array. */
  public static int of(byte[] bytes, int from, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, from, length);
    return (int) crc.getValue();
  }

  /** Returns the CRC32C of all but the last four bytes, which are to hold it. */
  public static int ofAllBefore(byte[] bytes) {
    return of(bytes, 0, bytes.length - Integer.BYTES);
  }

  /** Returns the CRC32C of a text in UTF-8, in hexadecimal. */
  public static String ofText(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return HexFormat.of().toHexDigits(of(bytes, 0, bytes.length));
  }

  /**
   * Returns the check of one long: a bijection that spreads each bit over all, and doesn't keep 0.
   * The steps are those of the finalizer of MurmurHash3.
   */
  public static long mix(long value) {
    long h = value ^ 0x9E3779B97F4A7C15L;
    h = (h ^ (h >>> 33)) * 0xFF51AFD7ED558CCDL;
    h = (h ^ (h >>> 33)) * 0xC4CEB9FE1A85EC53L;
    return h ^ (h >>> 33);
  }
}
