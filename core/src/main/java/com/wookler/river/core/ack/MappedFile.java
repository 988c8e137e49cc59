package com.wookler.river.core.ack;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.core.log.Mappings;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A small file mapped for writing, little-endian, with a channel of its own to force it.
 *
 * <p>Stores and {@link #unmap} are the owner's, under its lock; {@link #force} and {@link #close}
 * may come from other threads, interrupted ones too. Nothing may be stored after {@code unmap}: the
 * process would crash. The file must have real space for all its bytes, for the same reason.
 */
final class MappedFile {
  private static final VarHandle LONGS =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final Path path;
  private final MappedByteBuffer buffer;
  private final AtomicBoolean dirty = new AtomicBoolean();

  @GuardedBy("this")
  private FileChannel channel;

  @GuardedBy("this")
  private boolean closed;

  private MappedFile(Path path, FileChannel channel, MappedByteBuffer buffer) {
    this.path = path;
    this.channel = channel;
    this.buffer = buffer;
    buffer.order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Maps an existing file of this size. */
  static MappedFile open(Path path, int size) throws IOException {
    return Disk.withChannel(
        path,
        channel ->
            new MappedFile(path, channel, channel.map(FileChannel.MapMode.READ_WRITE, 0, size)),
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

  /** To be called after stores, so that the next {@link #force} takes them along. */
  void touched() {
    dirty.setRelease(true);
  }

  /**
   * Forces what was stored before the last {@link #touched}; returns at once if nothing was since
   * the last time.
   */
  synchronized void force() throws IOException {
    if (closed || !dirty.getAndSet(false)) {
      return;
    }
    try {
      forceChannel();
    } catch (IOException e) {
      dirty.set(true);
      throw e;
    }
  }

  /** An interrupt of a thread that forces, as a seek does on the caller's, closes the channel. */
  @GuardedBy("this")
  private void forceChannel() throws IOException {
    try {
      channel.force(false);
    } catch (ClosedChannelException e) {
      channel = Disk.withChannel(path, MappedFile::forced, StandardOpenOption.WRITE);
    }
  }

  private static FileChannel forced(FileChannel channel) throws IOException {
    channel.force(false);
    return channel;
  }

  /** Ends the mapping now and not when the collector finds it. To be called once. */
  void unmap() {
    Mappings.unmap(buffer);
  }

  /** Closes the channel, after a force that is under way. */
  synchronized void close() throws IOException {
    closed = true;
    channel.close();
  }
}
