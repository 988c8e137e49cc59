package com.wookler.river.common.file;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.PageFaults;
import com.wookler.river.common.errors.RiverException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A small file mapped for writing, little-endian. It holds no descriptor: a process may have tens
 * of thousands of them.
 *
 * <p>Stores and {@link #close} are the owner's, under its lock; {@link #force} may come from other
 * threads, interrupted ones too. Nothing may be stored after {@code close}: the process would
 * crash. The file must have real space for all its bytes, for the same reason.
 */
public final class MappedFile {
  private static final VarHandle LONGS =
      MethodHandles.byteBufferViewVarHandle(long[].class, LITTLE_ENDIAN);
  private static final VarHandle INTS =
      MethodHandles.byteBufferViewVarHandle(int[].class, LITTLE_ENDIAN);

  private final Path path;
  private final MappedByteBuffer buffer;
  private final @Nullable BooleanSupplier writable;
  private volatile boolean cut; // nothing can be stored any more; set where that is noticed
  private final AtomicBoolean dirty = new AtomicBoolean();

  @GuardedBy("this")
  private boolean closed;

  private MappedFile(Path path, MappedByteBuffer buffer, @Nullable BooleanSupplier writable) {
    this.path = path;
    this.writable = writable;
    this.buffer = buffer;
    buffer.order(LITTLE_ENDIAN);
  }

  /**
   * Maps an existing file of this size.
   *
   * @param writable whether stores may go through the mapping; else each is a write to the file.
   *     Null if they always may
   */
  public static MappedFile open(Path path, int size, @Nullable BooleanSupplier writable)
      throws IOException {
    return DurableFiles.withChannel(
        path,
        channel ->
            new MappedFile(path, channel.map(FileChannel.MapMode.READ_WRITE, 0, size), writable),
        StandardOpenOption.READ,
        StandardOpenOption.WRITE);
  }

  /** Returns the file. */
  public Path path() {
    return path;
  }

  /**
   * Stores 8 aligned bytes at once: a kill leaves all or none of them.
   *
   * @throws RiverException the file cannot be written
   */
  public void put(int offset, long value) {
    refuseCut();
    if (isReadOnly()) {
      write(offset, ByteBuffer.allocate(Long.BYTES).order(LITTLE_ENDIAN).putLong(0, value));
      return;
    }
    try {
      LONGS.setOpaque(buffer, offset, value);
      checkStored(offset, value);
    } catch (InternalError e) {
      throw cannotStore(e);
    }
  }

  /**
   * Reads 8 aligned bytes.
   *
   * @throws RiverException the file cannot be read
   */
  public long get(int offset) {
    try {
      return (long) LONGS.getOpaque(buffer, offset);
    } catch (InternalError e) {
      throw new RiverException("cannot read " + path + ": " + e, e);
    }
  }

  private boolean isReadOnly() {
    return writable != null && !writable.getAsBoolean();
  }

  /**
   * A store into a page that the file has no more is passed over, and so is the read, which leaves
   * what its register had before: perhaps the value, but not the half of it too. The error comes
   * later.
   */
  private void checkStored(int offset, long value) {
    if ((long) LONGS.getOpaque(buffer, offset) != value
        || (int) INTS.getOpaque(buffer, offset + Integer.BYTES) != (int) (value >>> Integer.SIZE)) {
      cut = true;
      PageFaults.settle();
      throw new InternalError("what was stored is not there");
    }
  }

  /**
   * Copies bytes to the file's beginning.
   *
   * @throws RiverException the file cannot be written
   */
  public void put(byte[] bytes) {
    refuseCut();
    if (isReadOnly()) {
      write(0, ByteBuffer.wrap(bytes));
      return;
    }
    try {
      buffer.put(0, bytes);
      checkStored(0, ByteBuffer.wrap(bytes).order(LITTLE_ENDIAN).getLong());
    } catch (InternalError e) {
      throw cannotStore(e);
    }
  }

  /** The mapping and the channel show the same pages. */
  private void write(int offset, ByteBuffer bytes) {
    try {
      DurableFiles.withChannel(
          path,
          channel -> {
            while (bytes.hasRemaining()) {
              channel.write(bytes, offset + bytes.position());
            }
            return bytes;
          },
          StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw cannotStore(e);
    }
  }

  private RiverException cannotStore(Throwable e) {
    return new RiverException(
        "cannot write "
            + path
            + ", which was cut, or is on a volume that cannot be written now; reopen the queue when"
            + " that is repaired: "
            + e,
        e);
  }

  /** To be called after stores, so that the next {@link #force} includes them. */
  public void touched() {
    dirty.setRelease(true);
  }

  /**
   * Forces what was stored before the last {@link #touched}; returns false at once if nothing was
   * stored since the last force, and after {@link #close}.
   */
  public synchronized boolean force() throws IOException {
    if (closed || !dirty.getAndSet(false)) {
      return false;
    }
    try {
      force(mapped -> Mappings.force(mapped, path));
      checkSize();
      return true;
    } catch (IOException e) {
      dirty.set(true);
      throw e;
    }
  }

  /** Forces a mapping, or a part of it. */
  @FunctionalInterface
  public interface Force {
    /** Returns when it is on the device. */
    void force(MappedByteBuffer mapped) throws IOException;
  }

  /** Forces the mapping by a way of the caller's; nothing after {@link #close}. */
  public synchronized void force(Force by) throws IOException {
    if (closed) {
      return;
    }
    try {
      by.force(buffer);
    } catch (IOException | UncheckedIOException e) { // the system does not say which file
      throw new IOException("cannot force " + path + ": " + e.getMessage(), e);
    }
  }

  /** Checks the size: a store after the end of a file that was cut is lost. */
  private void checkSize() throws IOException {
    if (Files.exists(path) && !DurableFiles.reaches(path, buffer.capacity())) {
      cut = true;
      throw new IOException(
          path + " was cut to " + Files.size(path) + " bytes of " + buffer.capacity());
    }
  }

  private void refuseCut() {
    if (cut) {
      throw cannotStore(new IOException("it is shorter than it was made"));
    }
  }

  /**
   * Ends the mapping now and not when the collector finds it, after a force that is under way. What
   * was not forced stays in the file and reaches the device when the system writes it.
   */
  public synchronized void close() {
    if (!closed) {
      closed = true;
      Mappings.unmap(buffer);
    }
  }
}
