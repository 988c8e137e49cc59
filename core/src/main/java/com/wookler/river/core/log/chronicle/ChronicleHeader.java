package com.wookler.river.core.log.chronicle;

import com.wookler.river.core.message.DamagedMessageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * The beginning of a block's file: Chronicle's header, and the first index of its documents.
 * Nothing of it is River's, and Chronicle believes all of it: a file in which it is damaged cannot
 * be opened, or is written to at a wrong offset. So a recovery verifies it ({@link
 * ChronicleHeaderCheck}), and writes it anew where it is wrong: all in it follows from the
 * documents.
 *
 * <p>Numbers are little-endian:
 *
 * <pre>
 *  offset  size  what
 *       0   232  headers of documents, names and types: always the same bytes, but for
 *      64     8    writePosition: the offset of the last document's header
 *      72     4    its ordinal among the documents that readers see
 *      76     4    writePosition again
 *     176     8    documents that the indexes cover
 *     232     8  how many entries of the index of indexes are in use
 *     240 32768  its entries: offsets of indexes, the first of them 33008
 *   33008    24  header of the first index, always the same bytes
 *   33032     8  how many of its entries are in use
 *   33040 32768  its entries: the offsets of each 16th document's header
 *   65808     –  the start of the block, the first document that is River's
 * </pre>
 *
 * <p>The first document of each further 65,536 is followed by an index of theirs. Its entries are
 * at a multiple of 8, so its header is 24 bytes, or 20 where it begins at an odd multiple of 4
 * ({@link #entriesOf}).
 */
public final class ChronicleHeader {
  /** Its length, and so the offset of the first document that is River's. */
  public static final int BYTES = 65_808;

  /** One of this many documents is in the index. */
  public static final int SPACING = 16;

  public static final int ENTRIES = 4_096;
  public static final int WRITE_POSITION = 64;
  public static final int PLACE = 72;
  public static final int INDEXED = 176;
  public static final int INDEX2INDEX = 240; // its entries
  public static final int INDEX = 33_008;

  private static final byte[] HEAD =
      HexFormat.of()
          .parseHex(
              "c1000040b906686561646572b60853435153746f726582aa000000cd7772697465506f73"
                  + "6974696f6e8e01000000008d020000000000000002000000000000000000000000000000"
                  + "0000000000000000c8696e646578696e67b60c53435153496e646578696e67824c000000"
                  + "ca696e646578436f756e74a50010cc696e64657853706163696e67a110cb696e64657832"
                  + "496e6465788f8fa7c800000000000000c96c617374496e6465788e00000000a700000000"
                  + "00000000ca64617461466f726d6174a10100000024800040b90b696e64657832696e6465"
                  + "788e01000000008d0010000000000000");
  private static final byte[] INDEX_HEAD =
      HexFormat.of().parseHex("1c800040b905696e6465788f8f8f8f8d0010000000000000");
  private static final byte[] INDEX_HEAD_WITHOUT_PADDING =
      HexFormat.of().parseHex("18800040b905696e6465788d0010000000000000");

  private ChronicleHeader() {}

  /** Returns the first bytes of a file, as many as it has. */
  public static ByteBuffer head(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      return head(channel);
    }
  }

  /** Returns the first bytes of a file, as many as it has. */
  public static ByteBuffer head(FileChannel channel) throws IOException {
    return read(channel, 0, HEAD.length);
  }

  /** Returns this many bytes from an offset on, or those that are there. */
  public static ByteBuffer read(FileChannel channel, long offset, int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    int read;
    do {
      read = channel.read(bytes, offset + bytes.position());
    } while (read > 0 && bytes.hasRemaining());
    return bytes.flip();
  }

  /** Returns whether a file's first bytes are those of each block, but for the numbers in them. */
  public static boolean isHead(ByteBuffer head) {
    if (head.limit() < HEAD.length) {
      return false;
    }
    byte[] bytes = new byte[HEAD.length];
    head.get(0, bytes);
    ByteBuffer constant = ByteBuffer.wrap(bytes);
    constant.putLong(WRITE_POSITION, 0).putLong(PLACE, 0).putLong(INDEXED, 0);
    return Arrays.equals(bytes, HEAD);
  }

  /** Returns whether these are the first bytes of an index that begins at an offset. */
  public static boolean isIndex(ByteBuffer bytes, long index) {
    byte[] head = indexHead(index);
    return bytes.limit() >= head.length
        && bytes.slice(0, head.length).equals(ByteBuffer.wrap(head));
  }

  private static byte[] indexHead(long index) {
    return index % Long.BYTES == 0 ? INDEX_HEAD : INDEX_HEAD_WITHOUT_PADDING;
  }

  /**
   * Returns the offset of the entries of an index that begins at an offset. Before them is a long,
   * how many are in use; {@link #ENTRIES} of them end the index.
   */
  public static long entriesOf(long index) {
    return index + indexHead(index).length + Long.BYTES;
  }

  /** Returns the offset of the last document's header, as Chronicle noted it; -1 without. */
  public static long lastDocument(Path file) throws IOException {
    ByteBuffer head = head(file);
    return isHead(head) ? head.getLong(WRITE_POSITION) : -1;
  }

  /** Returns the offset of the document of an index entry; 0 if the block has no such entry. */
  public static long indexed(BlockWindow block, long entry) {
    long index = longAt(block, INDEX2INDEX, entry / ENTRIES);
    return index == 0 ? 0 : longAt(block, entriesOf(index), entry % ENTRIES);
  }

  private static long longAt(BlockWindow block, long entries, long number) {
    long at = entries + number * Long.BYTES;
    if (!block.has(at, Long.BYTES)) {
      throw new DamagedMessageException("damaged: the index of its block leads to byte " + at);
    }
    return block.longAt(at);
  }

  /**
   * Returns the first {@link #BYTES} bytes of a block that shows readers this many documents, each
   * sixteenth from the first on at {@code spaced}, the last at {@code last}.
   */
  public static byte[] of(long[] spaced, long documents, long last) {
    ByteBuffer bytes = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
    bytes.put(HEAD).put(INDEX, INDEX_HEAD);
    int entries = Math.min(spaced.length, ENTRIES);
    bytes.putLong(WRITE_POSITION, last);
    bytes.putInt(PLACE, (int) (documents - 1)).putInt(PLACE + 4, (int) last);
    bytes.putLong(INDEXED, (long) entries * SPACING);
    bytes.putLong(INDEX2INDEX - 8, 1).putLong(INDEX2INDEX, INDEX);
    int first = (int) entriesOf(INDEX);
    bytes.putLong(first - 8, entries);
    for (int i = 0; i < entries; i++) {
      bytes.putLong(first + i * 8, spaced[i]);
    }
    return bytes.array();
  }
}
