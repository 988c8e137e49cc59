package com.wookler.river.core.delay;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Visits the records of a file by their heads; after a damaged one it continues at the next whose
 * checksum matches. Used once, by one thread.
 */
final class BucketScan {
  private static final int WINDOW_BYTES = 256 << 10;

  private final BucketFile file;
  private final long end;
  private final Visitor visitor;
  private final ByteBuffer window =
      ByteBuffer.allocate(WINDOW_BYTES).order(ByteOrder.LITTLE_ENDIAN).limit(0);
  private long windowAt;

  interface Visitor {
    /** Takes a record whose head is valid. */
    void record(long time, long sequence, long offset, int length) throws IOException;

    /** Takes a range of bytes without a valid record. */
    default void damaged(long from, long to) throws IOException {}
  }

  private BucketScan(BucketFile file, long end, Visitor visitor) {
    this.file = file;
    this.end = end;
    this.visitor = visitor;
  }

  /** Scans a file up to an end; what is missing of it counts as damaged. */
  static void run(BucketFile file, long end, Visitor visitor) throws IOException {
    new BucketScan(file, end, visitor).run();
  }

  private void run() throws IOException {
    long to = Math.min(end, file.size());
    long at = BucketFile.HEADER_BYTES;
    while (at < to) {
      int length = lengthAt(at, to);
      if (length > 0) {
        int head = (int) (at - windowAt);
        visitor.record(window.getLong(head + 8), window.getLong(head + 16), at, length);
        at += length;
      } else {
        long from = at;
        do {
          at++;
        } while (at < to && lengthAt(at, to) < 0);
        visitor.damaged(from, at);
      }
    }
    if (to < end) {
      visitor.damaged(Math.max(to, BucketFile.HEADER_BYTES), end);
    }
  }

  private int lengthAt(long offset, long to) throws IOException {
    if (to - offset < BucketFile.RECORD_BYTES) {
      return -1;
    }
    if (offset < windowAt || offset + BucketFile.RECORD_BYTES > windowAt + window.limit()) {
      window.clear();
      windowAt = offset;
      file.read(window, offset);
    }
    int length = file.lengthAt(window, (int) (offset - windowAt));
    return length > BucketFile.RECORD_BYTES && offset + length <= to ? length : -1;
  }
}
