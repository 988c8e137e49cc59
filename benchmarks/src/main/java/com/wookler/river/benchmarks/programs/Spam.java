package com.wookler.river.benchmarks.programs;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** What the programs send. */
final class Spam {
  private static final byte[] TEXT =
      ascii(
          """
          A river does not hurry, and it is never late.
          What falls in upstream is carried down in order,
          and whoever stands at the bank may take it out.
          It keeps what nobody has taken yet,
          runs under ice, and is there again in the morning.
          """);

  private Spam() {}

  /** So many bytes of text. */
  static byte[] text(int bytes) {
    byte[] data = new byte[bytes];
    for (int at = 0; at < bytes; at += TEXT.length) {
      System.arraycopy(TEXT, 0, data, at, Math.min(TEXT.length, bytes - at));
    }
    return data;
  }

  /** So many times 1,024 x. */
  static byte[] kilobytes(int count) {
    byte[] data = new byte[count << 10];
    Arrays.fill(data, (byte) 'x');
    return data;
  }

  /** The number in decimal digits, then what these leave of the filling. */
  static byte[] numbered(long number, byte[] filling) {
    byte[] digits = ascii(Long.toString(number));
    byte[] data = filling.clone();
    System.arraycopy(digits, 0, data, 0, digits.length);
    return data;
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
