package com.wookler.river.core.log.files;

import com.wookler.river.core.message.DocumentBytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reads the bytes of a block's file a part at a time; what cannot be read, or was cut off, is
 * zeros. An interrupted thread must clear its flag before.
 */
public final class FileWindow implements DocumentBytes, AutoCloseable {
  private static final int WINDOW_BYTES = 256 << 10;
  private static final int PAGE_BYTES = 4 << 10;

  private final FileChannel channel;
  private final long end;
  private ByteBuffer bytes = ByteBuffer.allocate(0);
  private long from;
  private @Nullable IOException unreadable; // the first part that could not be read

  /** Opens a file of a block that goes up to {@code end}, whatever the file's length. */
  public FileWindow(Path file, long end) throws IOException {
    this.channel = FileChannel.open(file, StandardOpenOption.READ);
    this.end = end;
  }

  /** Makes a number of bytes from an offset on readable; returns false if the block ends before. */
  public boolean has(long offset, long length) {
    if (offset >= from && offset + length <= from + bytes.limit()) {
      return true;
    }
    if (length > end - offset) {
      return false;
    }
    load(offset, (int) Math.min(end - offset, Math.max(length, WINDOW_BYTES)));
    return true;
  }

  private void load(long offset, int length) {
    byte[] loaded = new byte[length];
    bytes = ByteBuffer.wrap(loaded).order(ByteOrder.LITTLE_ENDIAN);
    from = offset;
    if (!read(loaded, 0, length)) { // perhaps a bad sector: a page at a time around it
      for (int at = 0; at < length; at += PAGE_BYTES) {
        read(loaded, at, Math.min(PAGE_BYTES, length - at));
      }
    }
  }

  private boolean read(byte[] to, int at, int length) {
    ByteBuffer target = ByteBuffer.wrap(to, at, length);
    try {
      int read;
      do {
        read = channel.read(target, from + target.position());
      } while (read > 0 && target.hasRemaining());
      return true;
    } catch (IOException e) {
      unreadable = unreadable == null ? e : unreadable;
      return false;
    }
  }

  /** Refuses zeros in place of what could not be read: throws the first error of a read. */
  public void refuseUnreadable() throws IOException {
    if (unreadable != null) {
      throw unreadable;
    }
  }

  /** Returns where the readable zeros from an offset on end, exact to 8 bytes. */
  public long behindZeros(long offset) {
    int at = (int) Math.max(0, offset - from); // a look ahead may have moved the window
    while (at + Long.BYTES <= bytes.limit() && bytes.getLong(at) == 0) {
      at += Long.BYTES;
    }
    return from + at;
  }

  @Override
  public int intAt(long offset) {
    return bytes.getInt((int) (offset - from));
  }

  @Override
  public long longAt(long offset) {
    return bytes.getLong((int) (offset - from));
  }

  @Override
  public byte byteAt(long offset) {
    return bytes.get((int) (offset - from));
  }

  @Override
  public void copy(long offset, byte[] to, int at, int length) {
    bytes.get((int) (offset - from), to, at, length);
  }

  @Override
  public void update(CRC32C crc, long offset, int length) {
    crc.update(bytes.array(), (int) (offset - from), length);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
