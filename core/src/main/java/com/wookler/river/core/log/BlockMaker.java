package com.wookler.river.core.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the next block's file ahead of time, filled with zeros.
 *
 * <p>A write fault on a page of a sparse mapping costs milliseconds, on one that has been written
 * 30 µs; and ordinary writes turn a full disk into an IOException here instead of a fault in the
 * mapping later. Chronicle takes a file called {@code b<n>.precreated} as the file of block n. The
 * file is made only when the active block passes half of what is expected of it within a minute, so
 * that a quiet queue owns no disk that it does not need.
 *
 * <p>{@link #started} and {@link #grown} run under the append lock, the making on a background
 * worker.
 */
final class BlockMaker {
  private static final Logger LOG = LoggerFactory.getLogger(BlockMaker.class);
  private static final int STEP_BYTES = 1 << 20;
  private static final long QUIET_MICROS = 60_000_000;

  private final LogSettings settings;
  private final Executor worker;

  // all three are guarded by BlockLog's append lock
  private long startedMicros;
  private long expectedBytes;
  private boolean asked;

  /** Held while a file gets the name by which Chronicle takes it, and while a block starts. */
  private final Object naming = new Object();

  /** The active block; written under the append lock and naming, read by the worker. */
  private volatile int current;

  BlockMaker(LogSettings settings, Executor worker, int active) {
    this.settings = settings;
    this.worker = worker;
    this.current = active;
    this.expectedBytes = settings.blockBytes();
  }

  /** A block has started; the one before it had this many bytes, 0 if unknown. */
  void started(long previousBytes, long micros) {
    startedMicros = micros;
    if (previousBytes > 0) {
      expectedBytes = Math.min(previousBytes, settings.blockBytes());
    }
    asked = false;
  }

  /** The active block has grown to this many bytes. */
  void grown(long bytes, long micros) {
    if (asked || bytes < expectedBytes / 2) {
      return;
    }
    asked = true;
    if (micros - startedMicros < QUIET_MICROS) {
      int next = current + 1;
      long length = expectedBytes + expectedBytes / 8 + STEP_BYTES;
      worker.execute(() -> make(next, length));
    }
  }

  /**
   * A block is about to start. What is not ready yet comes too late; then the block gets an empty
   * file, so that it has our mode and not Chronicle's.
   */
  void starting(int block) throws IOException {
    synchronized (naming) {
      current = block;
      Path ready = BlockName.ahead(settings.directory(), block);
      if (!Files.exists(ready)) {
        DurableFiles.create(ready).close();
      }
    }
  }

  private void make(int block, long length) {
    Path ready = BlockName.ahead(settings.directory(), block);
    Path temporary = ready.resolveSibling(ready.getFileName() + DurableFiles.TEMPORARY);
    try {
      fill(temporary, block, length);
      synchronized (naming) {
        if (current < block) {
          Files.move(temporary, ready, StandardCopyOption.ATOMIC_MOVE);
        }
      }
      Files.deleteIfExists(temporary); // too late: the log went on without it
    } catch (IOException e) {
      LOG.warn(
          "Queue {}: cannot make block {} ahead, it will grow as it is written: {}",
          settings.queue(),
          block,
          e.toString());
      try {
        Files.deleteIfExists(temporary);
      } catch (IOException again) {
        LOG.debug("Queue {}: cannot remove {}", settings.queue(), temporary, again);
      }
    }
  }

  private void fill(Path file, int block, long length) throws IOException {
    ByteBuffer zeros = ByteBuffer.allocateDirect(STEP_BYTES);
    try (FileChannel out = DurableFiles.create(file)) {
      for (long done = 0; done < length && current < block; done += STEP_BYTES) {
        zeros.clear();
        while (zeros.hasRemaining()) {
          out.write(zeros);
        }
      }
    }
  }
}
