package com.wookler.river.common.keys;

import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.common.file.Sealed;
import com.wookler.river.common.file.Series;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/**
 * Writes a run under a temporary name, forces it, and renames it. Uses a {@link RandomAccessFile},
 * which unlike a channel does not close when its thread is interrupted. Not thread-safe.
 */
@SuppressWarnings("ByteBufferBackingArray") // pages are allocated on the heap
final class RunWriter implements AutoCloseable {
  private static final int BUFFERED_PAGES = 16;

  private final Path file;
  private final Path temporary;
  private final RandomAccessFile out;
  private final int seed;
  private final UUID queue;
  private final long number;
  private final ByteBuffer page =
      Sealed.payload(RunHeader.PAGE_BYTES).position(RunHeader.entryAt(0));
  private final byte[] buffer = new byte[BUFFERED_PAGES * RunHeader.PAGE_BYTES];
  private int buffered;
  private int pages;
  private long count;
  private boolean done;

  RunWriter(Path directory, UUID queue, long number) throws IOException {
    this.file = RunHeader.FILES.path(directory, number);
    this.temporary = file.resolveSibling(file.getFileName() + DurableFiles.TEMPORARY);
    this.queue = queue;
    this.number = number;
    this.seed = Series.seed(queue, number);
    DurableFiles.create(temporary).close();
    this.out = new RandomAccessFile(temporary.toFile(), "rw");
    out.seek(RunHeader.PAGE_BYTES);
  }

  /** Adds an entry; in the order of hashes. */
  void add(long hash, long sequence) throws IOException {
    page.putLong(hash).putLong(sequence);
    count++;
    if (!page.hasRemaining()) {
      seal();
    }
  }

  private void seal() throws IOException {
    int entries = (int) (count - (long) pages * RunHeader.PAGE_ENTRIES);
    while (page.hasRemaining()) {
      page.putLong(0);
    }
    RunHeader.seal(page, pages++, entries, seed);
    System.arraycopy(page.array(), 0, buffer, buffered, RunHeader.PAGE_BYTES);
    buffered += RunHeader.PAGE_BYTES;
    if (buffered == buffer.length) {
      flush();
    }
    page.position(RunHeader.entryAt(0));
  }

  private void flush() throws IOException {
    out.write(buffer, 0, buffered);
    buffered = 0;
  }

  /** Completes the file; its content and name are on the device when this returns. */
  KeyRun finish(long from, long end) throws IOException {
    if (page.position() > RunHeader.entryAt(0)) {
      seal();
    }
    flush();
    RunHeader header = new RunHeader(queue, number, from, end, count);
    out.seek(0);
    out.write(header.encode());
    out.getFD().sync();
    out.close();
    DurableFiles.rename(temporary, file);
    done = true;
    return new KeyRun(file, header);
  }

  /** Deletes the file unless it was {@linkplain #finish finished}. */
  @Override
  public void close() throws IOException {
    out.close();
    if (!done) {
      Files.deleteIfExists(temporary);
    }
  }
}
