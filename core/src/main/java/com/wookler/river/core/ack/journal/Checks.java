package com.wookler.river.core.ack.journal;

import java.util.zip.CRC32C;

/** Checksums of the files. */
public final class Checks {
  private Checks() {}

  /** Returns the CRC32C of the owner's seed, little-endian, and the bytes. */
  static int crc32c(Owner owner, byte[] bytes, int offset, int length) {
    CRC32C crc = new CRC32C();
    for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
      crc.update((int) (owner.seed() >>> shift));
    }
    crc.update(bytes, offset, length);
    return (int) crc.getValue();
  }
}
