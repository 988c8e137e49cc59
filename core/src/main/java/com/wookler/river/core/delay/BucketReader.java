package com.wookler.river.core.delay;

import com.wookler.river.common.file.RecordFile;
import com.wookler.river.core.message.DocumentReader;
import com.wookler.river.core.message.StoredMessage;
import java.io.IOException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Reads waiting messages from their files. The file that was read last is open until the {@link
 * #close}, after which it may be used again: messages that are due one after the other are in one
 * file, and mostly in its order. Not thread-safe.
 */
final class BucketReader implements AutoCloseable {
  private final DocumentReader document;
  private @Nullable RecordFile file;
  private RecordFile.@Nullable Reader in;

  BucketReader(UUID queue) {
    this.document = new DocumentReader(queue);
  }

  /** Returns a message, or throws that it is not what was written. */
  StoredMessage message(RecordFile from, long offset, long sequence) throws IOException {
    byte[] bytes = left(from, offset, sequence);
    document.open(bytes, bytes.length, DelayedRecord.NO_BLOCK);
    StoredMessage message = document.next();
    if (message.sequence() != sequence) {
      throw DelayedRecord.another(from.path(), offset);
    }
    return message;
  }

  /** Returns the bytes of a message, damaged perhaps. */
  byte[] left(RecordFile from, long offset, long sequence) throws IOException {
    RecordFile.Reader reader = in;
    if (reader == null || file != from) {
      close();
      reader = from.reader();
      in = reader;
      file = from;
    }
    return DelayedRecord.left(reader, from.path(), offset, sequence);
  }

  @Override
  public void close() throws IOException {
    RecordFile.Reader reader = in;
    in = null;
    file = null;
    if (reader != null) {
      reader.close();
    }
  }
}
