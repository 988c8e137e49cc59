package com.wookler.river.core.log;

import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.core.log.files.BlockName;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Preallocates the next block's file, filled with zeros: a write fault on a page of a sparse
 * mapping costs milliseconds, on one that has been written 30 µs. The file of block n is made as
 * {@code b<n>.precreated.tmp}, and gets its name when the block starts.
 *
 * <p>As soon as a queue has more than a few messages, the file gets what a block needs to start: so
 * a roll succeeds on a full disk too, and the block before can be taken out, which makes space. All
 * of it is made when the active block passes half of what is expected of it within a minute, or at
 * once if the block before was filled within a second; a quiet queue takes no space that it does
 * not need. A block that starts before its file is whole grows by {@link BlockSpace}.
 *
 * <p>{@link #started}, {@link #grown}, {@link #starting} and {@link #giveBack} run under the append
 * lock, the making on a background worker.
 */
final class Preallocator {
  private static final Logger LOG = LoggerFactory.getLogger(Preallocator.class);
  private static final int STEP_BYTES = 256 << 10;
  private static final long SPARE_BYTES = 1 << 20;
  private static final long QUIET_BYTES = 512 << 10;
  private static final long QUIET_MICROS = 60_000_000;
  private static final long FAST_MICROS = 1_000_000;

  private final LogSettings settings;
  private final Executor worker;
  private final Volume volume;

  // all guarded by BlockLog's append lock
  private long startedMicros;
  private long expectedBytes;
  private long beginAt; // the end of the active block at which the next one's first bytes are made
  private long askAt; // the end of the active block at which all of it is asked for

  // held while zeros are written and the file is cut or named: no block that has started changes
  private final Object making = new Object();
  private int readied; // the block that was made ready to start last; under the append lock
  private long readiedBytes; // how much of its file was made then; under the append lock
  private volatile int current; // the active block; written under the append lock
  private volatile int tight; // the next block, once it gave space back; written like current

  Preallocator(LogSettings settings, Executor worker, int active, Volume volume) {
    this.settings = settings;
    this.worker = worker;
    this.volume = volume;
    this.current = active;
    this.expectedBytes = settings.blockBytes();
    this.beginAt = QUIET_BYTES;
    this.askAt = expectedBytes / 2;
  }

  /** Returns what the active block is expected to grow to. */
  long expectedBytes() {
    return expectedBytes;
  }

  /** A block has started; the one before it had this many bytes, 0 if unknown. */
  void started(long previousBytes, long micros) {
    if (previousBytes > 0) {
      expectedBytes = Math.min(previousBytes, settings.blockBytes());
    }
    boolean fast = previousBytes > 0 && micros - startedMicros < FAST_MICROS;
    askAt = fast ? 0 : expectedBytes / 2;
    beginAt = Math.min(QUIET_BYTES, askAt);
    startedMicros = micros;
  }

  void grown(long bytes, long micros) {
    if (bytes < beginAt) {
      return;
    }
    int next = current + 1;
    if (bytes < askAt) {
      beginAt = askAt;
      worker.execute(() -> make(next, BlockSpace.FIRST_BYTES));
      return;
    }
    beginAt = Long.MAX_VALUE;
    if (micros - startedMicros < QUIET_MICROS) {
      long length = BlockSpace.roundUp(expectedBytes + expectedBytes / 8 + SPARE_BYTES);
      worker.execute(() -> make(next, length));
    }
  }

  /**
   * Prepares the file of a block that is about to start with what it needs for that, or throws a
   * {@link NoSpaceException}; returns how many bytes of it have been made. A new file has our mode
   * and not the store's. May be called again.
   */
  long starting(int block) throws IOException {
    current = block; // before the monitor, so that the worker stops making it
    if (readied == block) {
      return readiedBytes; // the file may be longer by now: the store grows it by holes
    }
    synchronized (making) {
      Path ready = BlockName.data(settings.directory(), block);
      Path unfinished = temporary(block);
      if (Files.exists(unfinished)) {
        Files.move(unfinished, ready, StandardCopyOption.ATOMIC_MOVE);
      }
      long made = made(ready);
      if (made < BlockSpace.FIRST_BYTES) {
        volume.allocate(ready, made, BlockSpace.FIRST_BYTES);
        made = BlockSpace.FIRST_BYTES;
      }
      readied = block;
      readiedBytes = made;
      return made;
    }
  }

  /** Returns how many bytes of a file have been made; creates it if it does not exist. */
  private static long made(Path file) throws IOException {
    if (!Files.exists(file)) {
      DurableFiles.create(file).close();
    }
    return Files.size(file) & -BlockSpace.PAGE_BYTES;
  }

  private Path temporary(int block) {
    Path ready = BlockName.ahead(settings.directory(), block);
    return ready.resolveSibling(ready.getFileName() + DurableFiles.TEMPORARY);
  }

  private void make(int block, long length) {
    Path file = temporary(block);
    try {
      boolean more = true;
      while (more) {
        more = step(block, file, length);
      }
    } catch (NoSpaceException e) {
      LOG.debug("Queue {}: no space to make block {} ahead", settings.queue(), block, e);
      cut(block, file);
    } catch (IOException e) {
      LOG.warn(
          "Queue {}: cannot make block {} ahead, it will grow as it is written: {}",
          settings.queue(),
          block,
          e.toString());
      cut(block, file);
    }
  }

  /** False if the file is whole, or the block has started. */
  private boolean step(int block, Path file, long length) throws IOException {
    synchronized (making) {
      if (current >= block) {
        return false;
      }
      long made = made(file);
      if (made >= length || (tight == block && made >= BlockSpace.FIRST_BYTES)) {
        return false;
      }
      volume.allocate(file, made, Math.min(length, made + STEP_BYTES));
      return true;
    }
  }

  /** Gives the next block's space back but for its first bytes; returns whether there was any. */
  boolean giveBack() {
    int next = current + 1;
    tight = next;
    return cut(next, temporary(next));
  }

  /** Returns whether the next block's file has what it needs to start. */
  boolean hasNext() {
    synchronized (making) {
      return temporary(current + 1).toFile().length() >= BlockSpace.FIRST_BYTES;
    }
  }

  /** Gives the next block's file what it needs to start, from the reserve; returns whether. */
  boolean makeOfReserve() {
    int next = current + 1;
    Path file = temporary(next);
    synchronized (making) {
      try {
        long made = made(file);
        if (made < BlockSpace.FIRST_BYTES) {
          volume.allocateOfReserve(file, made, BlockSpace.FIRST_BYTES);
        }
        return true;
      } catch (IOException e) {
        LOG.debug("Queue {}: cannot make block {} of the reserve", settings.queue(), next, e);
        return false;
      }
    }
  }

  private boolean cut(int block, Path file) {
    synchronized (making) {
      if (current >= block || !Files.exists(file)) {
        return false;
      }
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        boolean larger = channel.size() > BlockSpace.FIRST_BYTES;
        channel.truncate(BlockSpace.FIRST_BYTES);
        return larger;
      } catch (IOException e) {
        LOG.debug("Queue {}: cannot cut {}", settings.queue(), file, e);
        return false;
      }
    }
  }
}
