package com.wookler.river.core.log.files;

import com.wookler.river.core.log.chronicle.DocumentHeader;
import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Reads a block's file from its start on, one document after the other, while another process may
 * append to it, delete it or be killed; writes, locks and maps nothing. A document counts once the
 * store's header says that it is whole and its checksums are valid. Not thread-safe.
 */
public final class BlockCursor implements Closeable {
  private static final int TRIES = 5; // a header may be read before what it was written after
  private static final long BETWEEN_NANOS = Duration.ofMillis(20).toNanos();

  private final int block;
  private final Path path;
  private final RandomAccessFile file; // stays open when the thread is interrupted
  private final @Nullable Object key;
  private long offset;

  /** Takes the documents. */
  @FunctionalInterface
  public interface Taker {
    /** Takes a document, or returns false: it is not valid, or not yet. */
    boolean take(byte[] document, int length, int block);
  }

  /**
   * Opens a block's file at its start.
   *
   * @throws NoSuchFileException it has left the log
   */
  public BlockCursor(int block, Path path) throws IOException {
    this.block = block;
    this.path = path;
    this.key = key(path);
    this.file = new RandomAccessFile(path.toFile(), "r");
  }

  private static @Nullable Object key(Path path) throws IOException {
    return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
  }

  public int block() {
    return block;
  }

  /**
   * Passes the next document to the taker, and goes past it. One that is still not valid after a
   * moment is damaged, and left out.
   *
   * @return false if there is no whole document now
   */
  public boolean next(Taker taker) throws IOException {
    int header = header();
    long size = DocumentHeader.sizeOf(header);
    if (size == 0 || offset + size > file.length()) {
      return false;
    }
    int length = DocumentHeader.lengthOf(header);
    if (DocumentHeader.isMessage(header)) {
      byte[] document = new byte[length];
      for (int i = 0; i < TRIES && !read(document, taker); i++) {
        LockSupport.parkNanos(this, BETWEEN_NANOS);
      }
    }
    offset += size;
    return true;
  }

  private boolean read(byte[] document, Taker taker) throws IOException {
    file.seek(offset + DocumentHeader.BYTES);
    file.readFully(document);
    return taker.take(document, document.length, block);
  }

  private int header() throws IOException {
    if (offset + DocumentHeader.BYTES > file.length()) {
      return 0;
    }
    file.seek(offset);
    return Integer.reverseBytes(file.readInt());
  }

  /** Returns whether the block is closed here: nothing more is appended to it. */
  public boolean isClosed() throws IOException {
    return header() == DocumentHeader.END;
  }

  /** Returns whether this is still the block's file: it has not left the log, or been replaced. */
  public boolean isCurrent() throws IOException {
    try {
      return key == null ? Files.exists(path) : key.equals(key(path));
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
