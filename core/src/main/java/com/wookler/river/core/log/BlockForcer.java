package com.wookler.river.core.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.Device;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.common.file.NotNowException;
import com.wookler.river.core.log.files.BlockName;
import com.wookler.river.core.log.files.LogMarks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forces blocks by mappings of its own, because the store's sync forces nothing by default and
 * swallows errors, and seals closed blocks. It runs on pool threads that are never interrupted, as
 * an interrupt would close the channel; {@link #forceMapped} runs on any. Forces exclude each
 * other; only the flusher's executor seals, so that no publisher waits for a seal.
 */
final class BlockForcer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BlockForcer.class);
  private static final int NONE = -1;

  private final Path directory;
  private final UUID identity;
  private final Blocks blocks;
  private final LogMarks marks;
  private final Device device;

  @GuardedBy("this")
  private @Nullable BlockView view;

  @GuardedBy("this")
  private int newestSeen = NONE;

  private volatile boolean closed; // written under the monitor
  private final Set<Integer> forcedClosed = ConcurrentHashMap.newKeySet(); // without a seal yet
  private volatile long forcedEnd; // written in force
  private volatile boolean sealLate; // written on the flusher's executor
  private boolean warned; // the flusher's executor only
  private long unsealed; // the first sequence of a block without seal; the flusher's executor only

  BlockForcer(LogSettings settings, Blocks blocks, LogMarks marks, Device device) {
    this.directory = settings.directory();
    this.identity = settings.identity();
    this.blocks = blocks;
    this.marks = marks;
    this.device = device;
    this.unsealed = firstUnsealed();
    this.forcedEnd = unsealed; // what has a seal was forced before
  }

  private long firstUnsealed() {
    long last = 0;
    for (Block block : blocks.all()) {
      last = block.firstSequence();
      if (!Files.exists(BlockName.seal(directory, block.number()))) {
        break;
      }
    }
    return last;
  }

  /** Returns the sequence below which all messages are on the device. */
  long forcedEnd() {
    return forcedEnd;
  }

  /**
   * Forces all below {@code end}, the log's next sequence read before, oldest first; nothing once
   * closed, or after a failure, which the system reports only once. After a {@link NotNowException}
   * the next force continues there.
   */
  synchronized void force(long end) throws IOException {
    force(end, false);
  }

  /**
   * Forces as {@link #force} does on any thread: only what is in the mapping of the active block,
   * as an interrupt would close a channel. If there is more, the end of what was forced stays.
   */
  synchronized void forceMapped(long end) throws IOException {
    force(end, true);
  }

  @GuardedBy("this")
  private void force(long end, boolean mapped) throws IOException {
    try {
      if (closed || !forceBlocks(mapped)) {
        return;
      }
    } catch (NotNowException e) {
      throw e;
    } catch (Throwable e) {
      close();
      throw e;
    }
    forcedEnd = Math.max(forcedEnd, end);
    marks.forced(forcedEnd);
  }

  /** Forces the first block of a log on the flusher: the calling thread could be interrupted. */
  void forceFirst(Block first, Executor flusher) {
    try {
      CompletableFuture.runAsync(() -> forceFirst(first), flusher).join();
    } catch (CompletionException e) {
      throw new RiverException("cannot force " + first.file() + " to the device", e);
    }
  }

  private synchronized void forceFirst(Block first) {
    try (FileChannel channel = FileChannel.open(first.file(), StandardOpenOption.WRITE)) {
      device.force(first.file(), channel);
      device.forceDirectory(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    newestSeen = first.number();
  }

  @GuardedBy("this")
  private boolean forceBlocks(boolean mapped) throws IOException {
    for (Block block : blocks.from(forcedEnd)) {
      boolean complete = block.isClosed(); // before the force
      long to = block.end();
      if (mapped && (complete || !isMapped(block, to))) {
        return false;
      }
      force(block, complete, to);
      if (complete) {
        closeView();
        forcedClosed.add(block.number());
      }
    }
    return true;
  }

  /** Returns whether forcing a block up to an offset maps nothing. */
  @GuardedBy("this")
  private boolean isMapped(Block block, long to) {
    BlockView at = view;
    return block.number() <= newestSeen && at != null && at.block() == block && at.isMapped(to);
  }

  @GuardedBy("this")
  private void force(Block block, boolean complete, long to) throws IOException {
    try {
      BlockView at = viewOf(block);
      if (complete) {
        at.forceAll();
      } else {
        at.forceContent(to);
      }
      if (block.number() > newestSeen) {
        forceDirectory();
        newestSeen = block.number();
      }
    } catch (NotNowException e) {
      throw e;
    } catch (NoSuchFileException e) {
      if (block.messages() > 0) {
        throw e;
      }
    } catch (IOException | UncheckedIOException e) { // the system does not say which file
      throw new IOException("cannot force " + block.file() + ": " + e.getMessage(), e);
    }
  }

  private void forceDirectory() throws IOException {
    try {
      device.forceDirectory(directory);
    } catch (FileSystemException e) { // thrown by opening, not by forcing
      throw new NotNowException("cannot open " + directory, e);
    }
  }

  @GuardedBy("this")
  private BlockView viewOf(Block block) throws IOException {
    BlockView at = view;
    if (at == null || at.block() != block) {
      closeView();
      at = new BlockView(block, device);
      view = at;
    }
    return at;
  }

  /** Seals closed and forced blocks, and forces how far was forced; on the flusher's executor. */
  void seal() throws IOException {
    if (!closed) {
      sealLate = false; // the block that waited may have been deleted
      sealClosed();
    }
    marks.forceForced(device);
  }

  private void sealClosed() throws IOException {
    for (Block block : blocks.from(unsealed)) {
      if (!block.isClosed() || block.endSequence() > forcedEnd) {
        return;
      }
      Path file = BlockName.seal(directory, block.number());
      if (!Files.exists(file) && !write(file, block)) {
        return;
      }
      forcedClosed.remove(block.number());
      unsealed = block.endSequence();
    }
  }

  /** Returns whether it wrote the seal; without space or descriptors the next opening does. */
  private boolean write(Path file, Block block) throws IOException {
    try {
      forceClosed(block);
      DurableFiles.write(file, block.toSeal(identity).encode());
      warned = false;
      return true;
    } catch (IOException e) {
      if (!(e instanceof FileSystemException) && !device.isFull(e, directory)) {
        throw e;
      }
      if (!warned) {
        LOG.warn("Cannot write {} now; trying again: {}", file, e.toString());
      }
      warned = true;
      sealLate = true;
      return false;
    }
  }

  /** Forces a block that was closed after all of its messages were forced. */
  private void forceClosed(Block block) throws IOException {
    if (!forcedClosed.contains(block.number())) {
      try (FileChannel last = FileChannel.open(block.file(), StandardOpenOption.WRITE)) {
        device.force(block.file(), last);
      }
      forcedClosed.add(block.number());
    }
  }

  /** Records that all below this sequence leaves the log; on the device when this returns. */
  void leaves(long end) throws IOException {
    marks.removed(end, device);
  }

  /** Returns whether a seal waits for space or descriptors. */
  boolean isSealLate() {
    return sealLate;
  }

  @GuardedBy("this")
  private void closeView() {
    if (view != null) {
      view.close();
      view = null;
    }
  }

  /** Ends the mapping; later forces do nothing. */
  @Override
  public synchronized void close() {
    closed = true;
    closeView();
  }
}
