package com.wookler.river.core.log.chronicle;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The bytes before the end of the active block that appends still change: its header, and the last
 * index, as they are between two appends.
 */
public record ChangingBytes(ByteBuffer header, long indexAt, ByteBuffer index) {
  private static final int INDEX_BYTES = 32 + ChronicleHeader.ENTRIES * Long.BYTES;

  /** Reads them; under the append lock. */
  public static ChangingBytes of(Path block, long end) throws IOException {
    try (FileChannel channel = FileChannel.open(block, StandardOpenOption.READ)) {
      ByteBuffer header = ChronicleHeader.read(channel, 0, ChronicleHeader.BYTES);
      long last = 0;
      for (int at = ChronicleHeader.INDEX2INDEX; at < ChronicleHeader.INDEX; at += Long.BYTES) {
        last = Math.max(last, header.getLong(at));
      }
      int length = (int) Math.min(INDEX_BYTES, Math.max(0, end - last));
      return new ChangingBytes(header, last, ChronicleHeader.read(channel, last, length));
    }
  }

  /** Writes them over those of a copy. */
  public void writeTo(Path copy) throws IOException {
    try (FileChannel channel = FileChannel.open(copy, StandardOpenOption.WRITE)) {
      writeAll(channel, indexAt, index);
      writeAll(channel, 0, header); // last: the first index is in it
    }
  }

  private static void writeAll(FileChannel to, long at, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      to.write(bytes, at + bytes.position());
    }
  }
}
