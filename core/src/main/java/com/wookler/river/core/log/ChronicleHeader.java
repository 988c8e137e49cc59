package com.wookler.river.core.log;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The one field of Chronicle's header of a block file that a recovery needs: {@code writePosition},
 * where the last document was begun.
 *
 * <p>It stands in the first bytes of the file as its name, an array of two longs behind some
 * padding (marked 0x8D: length, used, values), and the first of them is it.
 */
final class ChronicleHeader {
  private static final int SEARCHED_BYTES = 256;
  private static final String FIELD = "writePosition";
  private static final int LONGS = 0x8D;
  private static final int MAX_PADDING = 16;

  private ChronicleHeader() {}

  /** The offset of the last document's header, as Chronicle noted it; -1 where it does not say. */
  static long lastDocument(Path file) throws IOException {
    byte[] bytes;
    try (InputStream in = Files.newInputStream(file)) {
      bytes = in.readNBytes(SEARCHED_BYTES);
    }
    int name = new String(bytes, StandardCharsets.ISO_8859_1).indexOf(FIELD);
    if (name < 0) {
      return -1;
    }
    int at = name + FIELD.length();
    int end = Math.min(at + MAX_PADDING, bytes.length - 25);
    while (at < end && (bytes[at] & 0xFF) != LONGS) {
      at++;
    }
    if (at >= end) {
      return -1;
    }
    ByteBuffer array = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).position(at + 1);
    return array.getLong() == 2 && array.getLong() <= 2 ? array.getLong() : -1;
  }
}
