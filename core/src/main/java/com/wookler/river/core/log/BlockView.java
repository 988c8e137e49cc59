package com.wookler.river.core.log;

import com.wookler.river.common.file.Device;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.common.file.Mappings;
import com.wookler.river.common.file.NotNowException;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Forces a block's file, a range at a time, by a mapping of its own. It holds no descriptor between
 * two forces, so that idle queues need none. Confined to {@link BlockForcer}'s monitor.
 *
 * <p>Forcing the whole file would force the preallocated zeros too, and the pages that the appender
 * writes to: publishers would meet their write faults once more, and wait for the file system's
 * journal. At 200,000 messages of 1 KiB a second that made p99 1.2 ms instead of 12 µs.
 */
final class BlockView implements AutoCloseable {
  private static final long PAGE_BYTES = 4 << 10;
  private static final long STEP_BYTES = 4 << 20;
  private static final long WINDOW_BYTES = 64 << 20;

  private final Block block;
  private final Device device;
  private @Nullable MappedByteBuffer window;
  private long windowAt;
  private long forced; // the offset up to which this view has forced the file

  BlockView(Block block, Device device) {
    this.block = block;
    this.device = device;
  }

  Block block() {
    return block;
  }

  /** Returns whether {@link #forceContent} to this end maps nothing. */
  boolean isMapped(long end) {
    return window != null && end <= windowAt + window.capacity();
  }

  /** Forces what the block holds up to an offset, in small steps. */
  void forceContent(long end) throws IOException {
    checkNotCut(end);
    while (forced < end) {
      long to = Math.min(end, forced + STEP_BYTES);
      MappedByteBuffer view = window(to);
      int from = (int) (forced - windowAt);
      device.force(block.file(), view, from, (int) (to - windowAt) - from);
      forced = to;
    }
    if (!Mappings.RANGES_REACH_THE_DEVICE) {
      forceFile();
    }
  }

  /** Forces all of a block that is closed: its end, its index, and what else is in the file. */
  void forceAll() throws IOException {
    forceContent(block.end());
    forceFile();
  }

  private void forceFile() throws IOException {
    try (FileChannel channel = open()) {
      device.force(block.file(), channel);
    }
  }

  private void checkNotCut(long end) throws IOException {
    Path file = block.file();
    try {
      if (end > 0 && !DurableFiles.reaches(file, end)) {
        throw new IOException(file + " has been cut to " + Files.size(file) + " bytes of " + end);
      }
    } catch (FileSystemException e) {
      throw notNow(e);
    }
  }

  private FileChannel open() throws IOException {
    try {
      return FileChannel.open(block.file(), StandardOpenOption.READ, StandardOpenOption.WRITE);
    } catch (FileSystemException e) {
      throw notNow(e);
    }
  }

  /** Returns what to throw: nothing was forced, so a retry is safe unless the file was removed. */
  private IOException notNow(FileSystemException e) {
    return e instanceof NoSuchFileException
        ? e
        : new NotNowException("cannot open " + block.file(), e);
  }

  /** Returns a window from what is forced to this offset or beyond. */
  private MappedByteBuffer window(long to) throws IOException {
    MappedByteBuffer view = window;
    if (view == null || to > windowAt + view.capacity()) {
      unmap();
      windowAt = forced & -PAGE_BYTES;
      try (FileChannel channel = open()) {
        view = map(channel);
      }
      window = view;
    }
    return view;
  }

  private MappedByteBuffer map(FileChannel channel) throws IOException {
    try {
      // not beyond the file: it would grow
      long length = Math.min(channel.size() - windowAt, WINDOW_BYTES);
      return channel.map(MapMode.READ_WRITE, windowAt, length);
    } catch (IOException e) { // nothing was forced, so nothing that was is in doubt
      throw new NotNowException("cannot map " + block.file(), e);
    }
  }

  private void unmap() {
    if (window != null) {
      Mappings.unmap(window);
      window = null;
    }
  }

  @Override
  public void close() {
    unmap();
  }
}
