package com.wookler.river.core.ack;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.core.log.Mappings;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A small file mapped for writing, little-endian. It holds no descriptor: a process may have tens
 * of thousands of them.
 *
 * <p>Stores and {@link #close} are the owner's, under its lock; {@link #force} may come from other
 * threads, interrupted ones too. Nothing may be stored after {@code close}: the process would
 * crash. The file must have real space for all its bytes, for the same reason.
 */
final class MappedFile {
  private static final VarHandle LONGS =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final Path path;
  private final MappedByteBuffer buffer;
  private final AtomicBoolean dirty = new AtomicBoolean();

  @GuardedBy("this")
  private boolean closed;

  private MappedFile(Path path, MappedByteBuffer buffer) {
    this.path = path;
    this.buffer = buffer;
    buffer.order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Maps an existing file of this size. */
  static MappedFile open(Path path, int size) throws IOException {
    return Disk.withChannel(
        path,
        channel -> new MappedFile(path, channel.map(FileChannel.MapMode.READ_WRITE, 0, size)),
        StandardOpenOption.READ,
        StandardOpenOption.WRITE);
  }

  Path path() {
    return path;
  }

  /** Stores 8 aligned bytes at once: a kill leaves all or none of them. */
  void put(int offset, long value) {
    LONGS.setOpaque(buffer, offset, value);
  }

  /** Copies bytes to the file's beginning. */
  void put(byte[] bytes) {
    buffer.put(0, bytes);
  }

  /** To be called after stores, so that the next {@link #force} includes them. */
  void touched() {
    dirty.setRelease(true);
  }

  /**
   * Forces what was stored before the last {@link #touched}; returns false at once if nothing was
   * stored since the last force, and after {@link #close}.
   */
  synchronized boolean force() throws IOException {
    if (closed || !dirty.getAndSet(false)) {
      return false;
    }
    try {
      Mappings.force(buffer, path);
      return true;
    } catch (IOException e) {
      dirty.set(true);
      throw e;
    }
  }

  /**
   * Ends the mapping now and not when the collector finds it, after a force that is under way. What
   * was not forced stays in the file and reaches the device when the system writes it.
   */
  synchronized void close() {
    if (!closed) {
      closed = true;
      Mappings.unmap(buffer);
    }
  }
}
