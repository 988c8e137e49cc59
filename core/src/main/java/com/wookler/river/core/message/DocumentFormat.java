package com.wookler.river.core.message;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.UUID;

/**
 * The format of messages in the log: one document holds one message, or all messages of one batch.
 *
 * <p>Numbers are little-endian. A document:
 *
 * <pre>
 *  offset  size  what
 *       0     1  'R'
 *       1     1  version, 1
 *       2     2  flags: 0; 1 where messages were lost, 2 where they were removed, see below
 *       4     4  check of: queue UUID, block number, bytes 8..31; see {@link HeaderCheck}
 *       8     8  first sequence
 *      16     8  publish time, microseconds since 1970-01-01T00:00:00Z
 *      24     4  count of entries, 1 or more
 *      28     4  length of all entries in bytes
 *      32     …  entries, one after the other
 * </pre>
 *
 * <p>A document with flag 1 replaces others in a recovered block that a power loss took before they
 * were forced. It has their sequences and no entry; its publish time is that of what follows.
 *
 * <p>A document with flag 2 replaces one or more in a compacted block, of which all messages were
 * removed. It has their sequences and no entry; its publish time is that of the last of them.
 *
 * <p>An entry, whose sequence is the document's first sequence plus its place in it:
 *
 * <pre>
 *       0     4  CRC32C of the L bytes from 8, exclusive or L
 *       4     4  length L of what follows
 *       8     1  flags: 1 key, 2 headers, 4 id, 8 expiry, 16 delay, 32 re-enqueued copy, 64 erased; any
 *                 other is of a newer format
 *       9     …  key, if any: length (2), UTF-8
 *             …  headers, if any: count (2), then each: name length (2), UTF-8, value length (4), value
 *             …  id, if any: length (2), UTF-8
 *             …  expiry, if any (8): microseconds from the publish time on
 *             …  delay, if any (8): microseconds from the publish time on
 *             …  of a re-enqueued copy: sequence (8) and publish time (8) of the message that was delayed
 *             …  data: the rest
 * </pre>
 *
 * <p>An erased entry has no other flag, and zeros or nothing where its key, headers, id and data
 * were.
 *
 * <p>An entry with an unknown flag and a valid checksum is refused with an error that is not
 * damage: a newer River may have written it.
 *
 * <p>There are two checks because an entry's checksum is computed by its publisher outside the
 * append lock, over all its bytes; only the header's check is computed under the lock, where
 * sequence, time and block are known, so it takes a few multiplications and no call. It includes
 * the UUID and the block number, so that a block of another queue, or under another's name, is
 * recognized as damage.
 */
public final class DocumentFormat {
  /** Bytes of a document before its first entry. */
  public static final int HEADER_BYTES = 32;

  static final int ENTRY_PREFIX_BYTES = 8; // before its flags

  static final int MAGIC = 'R' | 1 << 8;
  static final int MAGIC_LOST = MAGIC | 1 << 16; // of a document that replaces lost messages

  static final int MAGIC_REMOVED = MAGIC | 2 << 16; // of one that replaces removed messages

  static final int CHECK_AT = 4;
  static final int FIRST_AT = 8;
  static final int TIME_AT = 16;
  static final int COUNT_AT = 24;
  static final int LENGTH_AT = 28;
  static final int ENTRY_LENGTH_AT = 4;

  static final int FLAG_KEY = 1;
  static final int FLAG_HEADERS = 2;
  static final int FLAG_ID = 4;
  static final int FLAG_EXPIRY = 8;
  static final int FLAG_DELAY = 16;
  static final int FLAG_DUE = 32;
  static final int FLAG_ERASED = 64;
  static final int FLAGS_OF_TERMS = FLAG_ID | FLAG_EXPIRY | FLAG_DELAY | FLAG_DUE;
  static final int KNOWN_FLAGS = FLAG_KEY | FLAG_HEADERS | FLAGS_OF_TERMS | FLAG_ERASED;

  static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);

  private static final long DIGEST_PRIME = 0x9E3779B97F4A7C15L;

  private DocumentFormat() {}

  /**
   * Returns the length of the document at an offset by its header, unverified; 0 if none begins
   * there. At least {@link #HEADER_BYTES} must be there.
   */
  public static int lengthAt(DocumentBytes bytes, long offset) {
    int magic = bytes.intAt(offset);
    if (!isMagic(magic)) {
      return 0;
    }
    long length = (long) bytes.intAt(offset + LENGTH_AT) + HEADER_BYTES;
    return length < HEADER_BYTES || length > Integer.MAX_VALUE ? 0 : (int) length;
  }

  static boolean isMagic(int magic) {
    return magic == MAGIC || magic == MAGIC_LOST || magic == MAGIC_REMOVED;
  }

  /** Returns a document that replaces lost messages, with the publish time of what follows. */
  public static byte[] lost(UUID queue, int block, long firstSequence, int count, long micros) {
    return empty(MAGIC_LOST, queue, block, firstSequence, count, micros);
  }

  /** Returns a document that replaces removed messages, with the publish time of the last. */
  public static byte[] removed(UUID queue, int block, long firstSequence, int count, long micros) {
    return empty(MAGIC_REMOVED, queue, block, firstSequence, count, micros);
  }

  private static byte[] empty(
      int magic, UUID queue, int block, long firstSequence, int count, long micros) {
    byte[] document = new byte[HEADER_BYTES];
    long size = HeaderCheck.size(count, 0);
    INT.set(document, 0, magic);
    INT.set(document, CHECK_AT, new HeaderCheck(queue).of(block, firstSequence, micros, size));
    LONG.set(document, FIRST_AT, firstSequence);
    LONG.set(document, TIME_AT, micros);
    INT.set(document, COUNT_AT, count);
    INT.set(document, LENGTH_AT, 0);
    return document;
  }

  /** Adds a checksum to a digest, over the entries of a document or the documents of a block. */
  public static long digest(long digest, long checksum) {
    long mixed = (digest ^ checksum) * DIGEST_PRIME;
    return mixed ^ (mixed >>> 29);
  }

  /**
   * The check of document headers of one queue: the upper half of a {@link #digest} over what only
   * the append knows. Each step maps different numbers to different ones, so a header that differs
   * in one number has another check except in one case of four billion, as with a CRC32C.
   */
  static final class HeaderCheck {
    private final long seed;

    HeaderCheck(UUID queue) {
      seed = digest(digest(0, queue.getMostSignificantBits()), queue.getLeastSignificantBits());
    }

    /** Returns the check; {@code size} has count in the upper half, length in the lower. */
    int of(int block, long firstSequence, long micros, long size) {
      long digest = digest(digest(seed, block), firstSequence);
      return (int) (digest(digest(digest, micros), size) >>> 32);
    }

    static long size(int count, int length) {
      return (long) count << 32 | length;
    }
  }

  static int entryCheck(int crc, int length) {
    return crc ^ length;
  }
}
