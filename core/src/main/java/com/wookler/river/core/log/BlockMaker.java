package com.wookler.river.core.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the next block's file ahead of time, filled with zeros.
 *
 * <p>A write fault on a page of a sparse mapping costs milliseconds, on one that has been written
 * 30 µs; and ordinary writes turn a full disk into an IOException here instead of a fault in the
 * mapping later. Chronicle takes a file called {@code b<n>.precreated} as the file of block n. The
 * file is made when the active block passes half of what is expected of it within a minute, or at
 * once if the block before was filled within a second, so that a quiet queue owns no disk that it
 * does not need. A block that is needed before its file is whole takes what is there.
 *
 * <p>{@link #started} and {@link #grown} run under the append lock, the making on a background
 * worker.
 */
final class BlockMaker {
  private static final Logger LOG = LoggerFactory.getLogger(BlockMaker.class);
  private static final int STEP_BYTES = 256 << 10;
  private static final long SPARE_BYTES = 1 << 20;
  private static final long QUIET_MICROS = 60_000_000;
  private static final long FAST_MICROS = 1_000_000;

  private final LogSettings settings;
  private final Executor worker;

  // all four are guarded by BlockLog's append lock
  private long startedMicros;
  private long expectedBytes;
  private long askAt;
  private boolean asked;

  /**
   * Held while a file gets the name by which Chronicle takes it, and while zeros are written: none
   * may be written into a block that has started.
   */
  private final Object making = new Object();

  /** The active block; written under the append lock, read by the worker. */
  private volatile int current;

  BlockMaker(LogSettings settings, Executor worker, int active) {
    this.settings = settings;
    this.worker = worker;
    this.current = active;
    this.expectedBytes = settings.blockBytes();
    this.askAt = expectedBytes / 2;
  }

  /** A block has started; the one before it had this many bytes, 0 if unknown. */
  void started(long previousBytes, long micros) {
    if (previousBytes > 0) {
      expectedBytes = Math.min(previousBytes, settings.blockBytes());
      askAt = micros - startedMicros < FAST_MICROS ? 0 : expectedBytes / 2;
    }
    startedMicros = micros;
    asked = false;
  }

  /** The active block has grown to this many bytes. */
  void grown(long bytes, long micros) {
    if (asked || bytes < askAt) {
      return;
    }
    asked = true;
    if (micros - startedMicros < QUIET_MICROS) {
      int next = current + 1;
      long length = expectedBytes + expectedBytes / 8 + SPARE_BYTES;
      worker.execute(() -> make(next, length));
    }
  }

  /**
   * A block is about to start. Its file is what has been made of it, else an empty one, so that it
   * has our mode and not Chronicle's.
   *
   * @return how many bytes of it have been made
   */
  long starting(int block) throws IOException {
    current = block; // before the monitor, so that the worker lets go of it
    synchronized (making) {
      Path ready = BlockName.ahead(settings.directory(), block);
      Path unfinished = temporary(ready);
      if (Files.exists(unfinished)) {
        Files.move(unfinished, ready, StandardCopyOption.ATOMIC_MOVE);
      } else if (!Files.exists(ready)) {
        DurableFiles.create(ready).close();
      }
      return Files.size(ready);
    }
  }

  private static Path temporary(Path ready) {
    return ready.resolveSibling(ready.getFileName() + DurableFiles.TEMPORARY);
  }

  private void make(int block, long length) {
    Path ready = BlockName.ahead(settings.directory(), block);
    try (FileChannel out = create(block, temporary(ready))) {
      if (out != null && fill(out, block, length)) {
        name(block, ready);
      }
    } catch (IOException e) {
      LOG.warn(
          "Queue {}: cannot make block {} ahead, it will grow as it is written: {}",
          settings.queue(),
          block,
          e.toString());
      discard(block, temporary(ready));
    }
  }

  /** Null if the block has started. */
  private @Nullable FileChannel create(int block, Path file) throws IOException {
    synchronized (making) {
      return current < block ? DurableFiles.create(file) : null;
    }
  }

  /** False if the block has started. */
  private boolean fill(FileChannel out, int block, long length) throws IOException {
    ByteBuffer zeros = ByteBuffer.allocateDirect(STEP_BYTES);
    for (long done = 0; done < length; done += STEP_BYTES) {
      if (current >= block) {
        return false;
      }
      synchronized (making) {
        if (current >= block) {
          return false;
        }
        zeros.clear();
        while (zeros.hasRemaining()) {
          out.write(zeros);
        }
      }
    }
    return true;
  }

  private void name(int block, Path ready) throws IOException {
    synchronized (making) {
      if (current < block) {
        Files.move(temporary(ready), ready, StandardCopyOption.ATOMIC_MOVE);
      }
    }
  }

  private void discard(int block, Path file) {
    synchronized (making) {
      try {
        if (current < block) {
          Files.deleteIfExists(file);
        }
      } catch (IOException e) {
        LOG.debug("Queue {}: cannot remove {}", settings.queue(), file, e);
      }
    }
  }
}
