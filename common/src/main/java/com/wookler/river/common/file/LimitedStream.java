package com.wookler.river.common.file;

import java.io.IOException;
import java.io.InputStream;

/** Reads at most a number of bytes from a source, which it does not close. Not thread-safe. */
public final class LimitedStream extends InputStream {
  private final Source source;
  private long left;

  /** What bytes are read from: a stream, or a file at its position. */
  @FunctionalInterface
  public interface Source {
    /** Reads as {@link InputStream#read(byte[], int, int)} does. */
    int read(byte[] bytes, int offset, int length) throws IOException;
  }

  /** Ends after this number of bytes, or where the source ends. */
  public LimitedStream(Source source, long length) {
    this.source = source;
    this.left = length;
  }

  /** Returns how many bytes of the limit were not read. */
  public long left() {
    return left;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    int read = left == 0 ? -1 : source.read(bytes, offset, (int) Math.min(length, left));
    left -= Math.max(0, read);
    return read;
  }
}
