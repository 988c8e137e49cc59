package com.wookler.river.core.delay;

import com.wookler.river.common.file.RecordFile;
import com.wookler.river.common.file.Sealed;
import com.wookler.river.common.file.Series;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.DocumentWriter;
import com.wookler.river.core.message.Stamp;
import com.wookler.river.core.message.StoredMessage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.UUID;

/**
 * A waiting message as a record of a file {@code due-<number>} of a {@link Series}, whose header
 * has the kind {@code DUE}, version 1. In the order in which they came; what follows the length
 * that {@link TimerState} has of a file is ignored. The content of a record:
 *
 * <pre>
 *  offset  size  what
 *       0     8  when it is due, microseconds since 1970
 *       8     8  sequence
 *      16     …  the message: a document of one ({@link
 *                com.wookler.river.core.message.DocumentFormat}), of block 0; of one that was
 *                damaged when it came here, what was left of it, or a byte 0
 * </pre>
 *
 * <p>The check of the record covers time and sequence; the document has its own.
 */
@SuppressWarnings("ByteBufferBackingArray") // records are on the heap
final class DelayedRecord {
  static final Series FILES =
      new Series("due-", new Sealed("DUE", 1), 17, Integer.MAX_VALUE - 64, 16);

  static final int HEADER_BYTES = Sealed.sizeOf(Long.BYTES);
  static final int HEAD_BYTES = Series.PREFIX_BYTES + 16; // bytes before the document
  static final int NO_BLOCK = 0;

  private final Stamp stamp;
  private final DocumentWriter document = new DocumentWriter();

  /** Creates an encoder of messages. Not thread-safe. */
  DelayedRecord(UUID queue) {
    this.stamp = new Stamp(queue);
  }

  /** Creates a file, not forced. */
  static RecordFile create(Path directory, UUID queue, long number) throws IOException {
    RecordFile file = new RecordFile(FILES, directory, queue, number, false);
    ByteBuffer payload = Sealed.payload(Long.BYTES).putLong(number);
    try {
      file.write(ByteBuffer.wrap(FILES.form().encode(queue, payload)), 0);
    } catch (Throwable e) {
      file.delete();
      throw e;
    }
    return file;
  }

  /** Opens a file; throws if it is not this file of this queue, a newer River's, or unreadable. */
  static RecordFile open(Path directory, UUID queue, long number) throws IOException {
    RecordFile file = new RecordFile(FILES, directory, queue, number, true);
    String fault = file.header(HEADER_BYTES).fault();
    if (!fault.isEmpty()) {
      throw new DamagedMessageException("damaged: " + file.path() + " " + fault);
    }
    return file;
  }

  /** Returns a record of a message, to be sealed by its file. */
  ByteBuffer encode(long time, StoredMessage message) {
    document.start();
    document.add(message.data(), message.key(), message.headers(), message.terms());
    stamp.stamp(document, NO_BLOCK, message.sequence(), message.publishedMicros());
    int length = document.length();
    ByteBuffer record = of(time, message.sequence(), length);
    document.memory().get(0, record.array(), HEAD_BYTES, length);
    document.finish();
    return record;
  }

  /** Returns a record with these bytes of a message, whatever they are; to be sealed. */
  static ByteBuffer of(long time, long sequence, byte[] document) {
    return of(time, sequence, document.length).put(HEAD_BYTES, document);
  }

  private static ByteBuffer of(long time, long sequence, int document) {
    return Sealed.payload(HEAD_BYTES + document)
        .putLong(Series.PREFIX_BYTES, time)
        .putLong(Series.PREFIX_BYTES + 8, sequence);
  }

  private static long sequence(ByteBuffer record) {
    return record.getLong(Series.PREFIX_BYTES + 8);
  }

  /** Takes the records of a scan by what their checks cover. */
  @FunctionalInterface
  interface Visitor {
    void message(long time, long sequence, long offset, int size) throws IOException;

    /** Takes a range of bytes without a valid record. */
    default void damaged(long from, long to) {}
  }

  /** Visits the records of a file up to an end, which is known from its state. */
  static void scan(RecordFile file, long end, Visitor visitor) throws IOException {
    file.scan(
        HEADER_BYTES,
        end,
        new RecordFile.Visitor() {
          @Override
          public boolean record(ByteBuffer record, long offset, int size) throws IOException {
            visitor.message(record.getLong(Series.PREFIX_BYTES), sequence(record), offset, size);
            return true;
          }

          @Override
          public void damaged(long from, long to) {
            visitor.damaged(from, to);
          }
        });
  }

  /** Returns the bytes of the message of a record, damaged perhaps. */
  static byte[] left(RecordFile.Reader in, Path path, long offset, long sequence)
      throws IOException {
    ByteBuffer record = in.record(offset);
    if (sequence(record) != sequence) {
      throw another(path, offset);
    }
    byte[] document = new byte[record.limit() - HEAD_BYTES];
    record.get(HEAD_BYTES, document);
    return document;
  }

  /** Returns what to throw where a record is that of another message. */
  static DamagedMessageException another(Path path, long offset) {
    return new DamagedMessageException(
        "damaged: " + path + " has another message at byte " + offset);
  }
}
