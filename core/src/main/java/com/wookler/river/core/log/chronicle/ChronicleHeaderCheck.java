package com.wookler.river.core.log.chronicle;

import static com.wookler.river.core.log.chronicle.ChronicleHeader.ENTRIES;
import static com.wookler.river.core.log.chronicle.ChronicleHeader.SPACING;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/**
 * Verifies what Chronicle keeps in a block beside the documents ({@link ChronicleHeader}) against
 * these, so that Chronicle can use it. What is older than the documents, as a power loss leaves it,
 * is right; what is not theirs is wrong.
 */
public final class ChronicleHeaderCheck {
  /** The fault where more than numbers is wrong, which a power loss may leave so. */
  private static final String DAMAGED = "its header is damaged";

  private final FileChannel channel;
  private final long[] spaced;
  private final long documents;
  private final long end;

  private ChronicleHeaderCheck(FileChannel channel, long[] spaced, long documents, long end) {
    this.channel = channel;
    this.spaced = spaced;
    this.documents = documents;
    this.end = end;
  }

  /**
   * Returns what is wrong in a file with documents as {@link ChronicleHeader#of} has them, which
   * end at {@code end}; empty if nothing is.
   */
  public static String fault(Path file, long[] spaced, long documents, long end)
      throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      return new ChronicleHeaderCheck(channel, spaced, documents, end).run();
    }
  }

  /** Returns whether a power loss may leave that, which brings pages to the device in any order. */
  public static boolean isOlder(String fault) {
    return !fault.equals(DAMAGED);
  }

  private String run() throws IOException {
    ByteBuffer head = ChronicleHeader.read(channel, 0, ChronicleHeader.BYTES);
    if (head.limit() < ChronicleHeader.BYTES || !ChronicleHeader.isHead(head)) {
      return DAMAGED;
    }
    long last = head.getLong(ChronicleHeader.WRITE_POSITION);
    if (last != 0 && !isDocument(last, head.getLong(ChronicleHeader.PLACE))) {
      return "its note of the last document points to " + last;
    }
    long indexed = head.getLong(ChronicleHeader.INDEXED);
    if (indexed < 0 || indexed > documents + SPACING) {
      return "its index claims " + indexed + " documents of " + documents;
    }
    return indexes(head) ? "" : "its index is damaged";
  }

  /** Returns whether a document's header is there; its place is the offset, then the ordinal. */
  private boolean isDocument(long offset, long place) throws IOException {
    if (offset < 0 || offset >= end) {
      return false;
    }
    int found = Arrays.binarySearch(spaced, offset);
    int from = found >= 0 ? found : -found - 2;
    long at = from < 0 ? ChronicleHeader.BYTES : spaced[from];
    long ordinal = from < 0 ? 0 : (long) from * SPACING;
    while (at < offset) {
      int header = intAt(at);
      long size = DocumentHeader.sizeOf(header);
      if (size == 0) {
        return false;
      }
      ordinal += DocumentHeader.isMessage(header) ? 1 : 0;
      at += size;
    }
    boolean says = (int) (place >>> 32) == (int) offset && DocumentHeader.isMessage(intAt(offset));
    return at == offset && (!says || (int) place == (int) ordinal);
  }

  private int intAt(long offset) throws IOException {
    ByteBuffer bytes = ChronicleHeader.read(channel, offset, DocumentHeader.BYTES);
    return bytes.limit() < DocumentHeader.BYTES ? 0 : bytes.getInt(0);
  }

  private boolean indexes(ByteBuffer head) throws IOException {
    if (!isUsed(head.getLong(ChronicleHeader.INDEX2INDEX - 8))) {
      return false;
    }
    for (int i = 0; i < ENTRIES; i++) {
      long offset = head.getLong(ChronicleHeader.INDEX2INDEX + i * 8);
      boolean isPlaced = i > 0 || offset == ChronicleHeader.INDEX;
      if (offset != 0 && (!isPlaced || !index(offset, i))) {
        return false;
      }
    }
    return true;
  }

  private boolean index(long offset, int number) throws IOException {
    int entries = (int) (ChronicleHeader.entriesOf(offset) - offset);
    int length = entries + ENTRIES * 8;
    if (offset < 0 || offset + length > end) {
      return false;
    }
    ByteBuffer index = ChronicleHeader.read(channel, offset, length);
    if (index.limit() < length
        || !ChronicleHeader.isIndex(index, offset)
        || !isUsed(index.getLong(entries - 8))) {
      return false;
    }
    for (int i = 0; i < ENTRIES; i++) {
      long entry = index.getLong(entries + i * 8);
      int at = number * ENTRIES + i;
      if (entry != 0 && (at >= spaced.length || entry != spaced[at])) {
        return false;
      }
    }
    return true;
  }

  private static boolean isUsed(long entries) {
    return entries >= 0 && entries <= ENTRIES;
  }
}
