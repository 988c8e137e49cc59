package com.wookler.river.core.crash;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Messages that say who published them as what, and whose every other byte follows from that, so
 * that a wrong byte is seen without a copy of the original.
 *
 * <p>An id packs round (16 bits, from 1), publisher (8 bits) and number (40 bits); 0 is none.
 */
final class Content {
  private static final int LARGEST = 300;

  private Content() {}

  static long id(int round, int publisher, long number) {
    return (long) round << 48 | (long) publisher << 40 | number;
  }

  static int round(long id) {
    return (int) (id >>> 48);
  }

  static int publisher(long id) {
    return (int) (id >>> 40) & 0xFF;
  }

  static long number(long id) {
    return id & 0xFF_FFFF_FFFFL;
  }

  static byte[] of(long id) {
    long state = mix(id);
    int more = state < 0 ? 0 : (int) (state % LARGEST); // many small ones, as in life
    ByteBuffer out = ByteBuffer.allocate(Long.BYTES + more);
    out.putLong(id);
    while (out.hasRemaining()) {
      state = mix(state + 1);
      out.put((byte) state);
    }
    return out.array();
  }

  /** The id in these bytes. */
  static long check(byte[] bytes, long sequence) {
    if (bytes.length < Long.BYTES) {
      throw new AssertionError("sequence " + sequence + " has " + bytes.length + " bytes");
    }
    long id = ByteBuffer.wrap(bytes).getLong();
    if (!Arrays.equals(bytes, of(id))) {
      throw new AssertionError("sequence " + sequence + " is not what was published: " + text(id));
    }
    return id;
  }

  static String text(long id) {
    return id == 0
        ? "nothing"
        : "message " + number(id) + " of publisher " + publisher(id) + " in round " + round(id);
  }

  /** Spreads the bits of a number over all others. */
  static long mix(long value) {
    long z = value + 0x9E37_79B9_7F4A_7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D0_49BB_1331_11EBL;
    return z ^ (z >>> 31);
  }
}
