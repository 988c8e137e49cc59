package com.wookler.river.core.delay;

import com.wookler.river.common.file.Series;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Appends records to a file through a buffer. What is known of the file changes only at the {@link
 * #commit}. Confined to one thread.
 */
final class BucketAppender {
  final Bucket bucket;
  private final ByteBuffer buffer;
  private long end;
  private long records;

  /** Begins at the end of a file; after {@link #force} another appender may use the buffer. */
  BucketAppender(Bucket bucket, ByteBuffer buffer) {
    this.bucket = bucket;
    this.buffer = buffer;
    this.end = bucket.bytes;
  }

  /** Seals and appends a record; returns its offset. */
  long add(ByteBuffer record) throws IOException {
    bucket.file.seal(record, 0, record.limit() - Series.PREFIX_BYTES);
    if (record.limit() > buffer.remaining()) {
      flush();
    }
    long offset = end + buffer.position();
    if (record.limit() > buffer.remaining()) {
      write(record);
    } else {
      buffer.put(record);
    }
    records++;
    return offset;
  }

  private void flush() throws IOException {
    write(buffer.flip());
    buffer.clear();
  }

  private void write(ByteBuffer bytes) throws IOException {
    int length = bytes.remaining();
    bucket.file.write(bytes, end);
    end += length;
  }

  void force() throws IOException {
    flush();
    bucket.file.force();
  }

  /** Counts what was appended; after {@link #force}. */
  void commit() {
    bucket.grown |= records > 0;
    bucket.bytes = end;
    bucket.records += records;
    bucket.waiting += records;
  }
}
