package com.wookler.river.core.message;

import static com.wookler.river.core.message.DocumentFormat.CHECK_AT;
import static com.wookler.river.core.message.DocumentFormat.ENTRY_LENGTH_AT;
import static com.wookler.river.core.message.DocumentFormat.ENTRY_PREFIX_BYTES;
import static com.wookler.river.core.message.DocumentFormat.FLAG_ERASED;
import static com.wookler.river.core.message.DocumentFormat.HEADER_BYTES;
import static com.wookler.river.core.message.DocumentFormat.INT;
import static com.wookler.river.core.message.DocumentFormat.LENGTH_AT;

import com.wookler.river.common.file.Checksum;
import java.util.Arrays;
import java.util.UUID;
import java.util.function.Predicate;

/**
 * Takes messages out of documents: what is left is as long as that needs. The sequences stay. Not
 * thread-safe.
 */
public final class DocumentCompactor {
  private static final int SHORTEST = ENTRY_PREFIX_BYTES + 1;

  private final DocumentReader reader;
  private final DocumentFormat.HeaderCheck check;
  private final Predicate<StoredMessage> which;
  private byte[] made = new byte[1 << 12];
  private int length; // of what is left; 0: no message is
  private int removed;
  private int removedBytes;
  private int left;

  /** Creates a compactor for a queue; what was erased before is taken out too. */
  public DocumentCompactor(UUID queue, Predicate<StoredMessage> which) {
    this.reader = new DocumentReader(queue);
    this.check = new DocumentFormat.HeaderCheck(queue);
    this.which = which;
  }

  /**
   * Compacts a document; {@link #length} says what is left of it.
   *
   * @return the given document, or an array that is valid until the next call
   * @throws DamagedMessageException a part of it is damaged
   */
  public byte[] compact(byte[] document, int bytes, int block) {
    reader.open(document, bytes, block);
    removed = 0;
    removedBytes = 0;
    left = 0;
    length = bytes;
    if (reader.isLost() || reader.isRemoved()) {
      length = reader.isLost() ? bytes : 0;
      return document;
    }
    if (made.length < bytes) {
      made = new byte[bytes];
    }
    int end = HEADER_BYTES;
    while (reader.hasNext()) {
      int at = (int) reader.offset();
      StoredMessage message = reader.next();
      int size = (int) reader.offset() - at;
      boolean erased = Terms.isErased(message.terms());
      if (!erased && !which.test(message)) {
        left++;
        System.arraycopy(document, at, made, end, size);
        end += size;
      } else {
        removed += erased ? 0 : 1;
        removedBytes += erased ? 0 : size - ENTRY_PREFIX_BYTES;
        end = erased(end);
      }
    }
    if (left == 0) {
      length = 0;
      return document;
    }
    if (end == bytes) {
      return document;
    }
    length = end;
    return withHeader(document, block);
  }

  private int erased(int at) {
    if (made.length < at + SHORTEST) {
      made = Arrays.copyOf(made, 2 * made.length);
    }
    made[at + ENTRY_PREFIX_BYTES] = FLAG_ERASED;
    int crc = Checksum.of(made, at + ENTRY_PREFIX_BYTES, 1);
    INT.set(made, at, DocumentFormat.entryCheck(crc, 1));
    INT.set(made, at + ENTRY_LENGTH_AT, 1);
    return at + SHORTEST;
  }

  private byte[] withHeader(byte[] document, int block) {
    System.arraycopy(document, 0, made, 0, HEADER_BYTES);
    int entries = length - HEADER_BYTES;
    long size = DocumentFormat.HeaderCheck.size(reader.count(), entries);
    INT.set(made, LENGTH_AT, entries);
    INT.set(made, CHECK_AT, check.of(block, reader.firstSequence(), reader.micros(), size));
    return made;
  }

  /** Returns the bytes of what is left of the document; 0 if no message is. */
  public int length() {
    return length;
  }

  /** Returns how many of its messages were taken out, without those erased before. */
  public int removed() {
    return removed;
  }

  /** Returns the bytes of their content. */
  public int removedBytes() {
    return removedBytes;
  }

  /** Returns how many of its messages are left. */
  public int left() {
    return left;
  }

  /** Returns the first sequence of the document. */
  public long firstSequence() {
    return reader.firstSequence();
  }

  /** Returns the count of sequences of the document. */
  public int count() {
    return reader.count();
  }

  /** Returns the publish time of the document, microseconds since 1970. */
  public long micros() {
    return reader.micros();
  }
}
