package com.wookler.river.core.log.chronicle;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The header that Chronicle writes in front of each document of a block.
 *
 * <p>Four bytes, little-endian: 30 bits of length, bit 30 for documents that readers don't see, bit
 * 31 while it is being written. The document's bytes follow, padded to a multiple of four. Header 0
 * means that nothing was written there yet, {@link #END} that the block was closed.
 */
public final class DocumentHeader {
  public static final int BYTES = 4;

  /** The header after the last document of a closed block. */
  public static final int END = 0xC000_0000;

  private static final int UNFINISHED = 0x8000_0000;
  private static final int HIDDEN = 0x4000_0000;
  private static final int LENGTH = 0x3FFF_FFFF;

  private DocumentHeader() {}

  /** Returns the size with header and padding; 0 if no whole document has this header. */
  public static long sizeOf(int header) {
    return header == 0 || (header & UNFINISHED) != 0 ? 0 : sizeFor(header & LENGTH);
  }

  /** Returns what a document of this length takes in its block, header and padding included. */
  public static long sizeFor(int length) {
    return BYTES + (length + 3L & ~3L);
  }

  /** Returns whether the whole document with this header is for readers. */
  public static boolean isMessage(int header) {
    return (header & HIDDEN) == 0;
  }

  /** Returns the bytes of the document after this header. */
  public static int lengthOf(int header) {
    return header & LENGTH;
  }

  /** Returns the header of a document of this length whose bytes are being written. */
  static int unfinished(int length) {
    return UNFINISHED | length;
  }

  /** Returns the bytes of the header {@link #END}. */
  public static ByteBuffer endMark() {
    return ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN).putInt(0, END);
  }

  /** Returns the header of a whole document of this length that readers don't see. */
  public static int hidden(int length) {
    return HIDDEN | length;
  }
}
