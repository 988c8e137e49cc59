package com.wookler.river.common.file;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.errors.RiverException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One file of a {@link Series}, to which records are appended.
 *
 * <p>Written by one thread at a time, which is not interrupted; read by any. What is written stays
 * open until it is forced, and what is read until its {@link Reader} is closed, so that an idle
 * file holds no descriptor. Where the file is there and cannot be opened, such as for want of
 * descriptors, each method throws a {@link RiverException}.
 */
@SuppressWarnings("ByteBufferBackingArray") // records are on the heap
public final class RecordFile implements AutoCloseable {
  private static final int AHEAD_BYTES = 1 << 10; // read at first: most records are shorter
  private static final int WINDOW_BYTES = 256 << 10;
  private static final int ONWARD_BYTES =
      64 << 10; // read at once of records that follow each other

  private final Series series;
  private final Path path;
  private final UUID owner;
  private final long number;
  private final int seed;
  private final Device device;
  private boolean exists; // the first write creates it
  private @Nullable FileChannel unforced; // with what was written since the last force

  /** Forces files; replaced by tests. */
  @FunctionalInterface
  public interface Device {
    /** Returns when what was written is on the device. */
    void force(FileChannel channel) throws IOException;
  }

  /** Takes the records of a {@link #scan}. */
  @FunctionalInterface
  public interface Visitor {
    /**
     * Takes a valid record; returns whether to scan on.
     *
     * @param record its prefix and what is checked of its content
     */
    boolean record(ByteBuffer record, long offset, int size) throws IOException;

    /** Takes a range of bytes without a valid record. */
    default void damaged(long from, long to) throws IOException {}
  }

  /**
   * Creates a file of a series, without looking at the disk.
   *
   * @param exists whether it is there; else the first write creates it, or replaces what is there
   */
  public RecordFile(
      Series series, Path directory, UUID owner, long number, boolean exists, Device device) {
    this.series = series;
    this.path = series.path(directory, number);
    this.owner = owner;
    this.number = number;
    this.seed = Series.seed(owner, number);
    this.exists = exists;
    this.device = device;
  }

  /** Creates a file of a series, without looking at the disk. */
  public RecordFile(Series series, Path directory, UUID owner, long number, boolean exists) {
    this(series, directory, owner, number, exists, channel -> channel.force(false));
  }

  /** Returns its path. */
  public Path path() {
    return path;
  }

  /** Returns the owner of the series. */
  public UUID owner() {
    return owner;
  }

  /** Returns its number in the series. */
  public long number() {
    return number;
  }

  /** Returns its length on the disk. */
  public long size() throws IOException {
    return Files.size(path);
  }

  /**
   * Returns its header, of which at most this many bytes are read.
   *
   * @throws ConfigurationException another version of River wrote it
   */
  public Series.Header header(int most) throws IOException {
    try (RandomAccessFile in = open(path)) {
      ByteBuffer bytes = read(in, 0, buffer(most), most);
      return series.header(path, Arrays.copyOf(bytes.array(), bytes.limit()), owner, number);
    }
  }

  /** Writes the prefix of a record whose content is in a little-endian buffer. */
  public void seal(ByteBuffer bytes, int at, int content) {
    series.seal(bytes, at, content, seed);
  }

  /** Writes bytes, which {@link #force} forces. */
  public void write(ByteBuffer bytes, long offset) throws IOException {
    DurableFiles.put(channel(), bytes, offset);
  }

  private FileChannel channel() throws IOException {
    FileChannel channel = unforced;
    if (channel == null) {
      channel = exists ? openToWrite() : DurableFiles.create(path);
      exists = true;
      unforced = channel;
    }
    return channel;
  }

  private FileChannel openToWrite() throws IOException {
    try {
      return FileChannel.open(path, StandardOpenOption.WRITE);
    } catch (NoSuchFileException e) {
      throw e;
    } catch (FileSystemException e) { // which says nothing of what it holds
      throw notNow(path, e);
    }
  }

  /** Forces all that was written. After a failure it has to be written again. */
  public void force() throws IOException {
    try {
      device.force(channel());
    } finally {
      close();
    }
  }

  /** Cuts what follows, which {@link #force} forces. */
  public void cut(long end) throws IOException {
    channel().truncate(end);
  }

  /** Opens a file; unlike a channel it is not closed when its thread is interrupted. */
  public static RandomAccessFile open(Path path) throws IOException {
    try {
      return new RandomAccessFile(path.toFile(), "r");
    } catch (FileNotFoundException e) {
      if (Files.exists(path)) {
        throw notNow(path, e);
      }
      throw new NoSuchFileException(path.toString());
    }
  }

  private static RiverException notNow(Path path, IOException e) {
    return new RiverException("cannot open " + path + " now: " + e.getMessage(), e);
  }

  private static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Reads bytes from an offset on, as far as the file goes, and sets the limit to that. */
  private static ByteBuffer read(RandomAccessFile in, long offset, ByteBuffer into, int most)
      throws IOException {
    in.seek(offset);
    int length = 0;
    int read;
    do {
      read = in.read(into.array(), length, most - length);
      length += Math.max(0, read);
    } while (read > 0 && length < most);
    return into.limit(length);
  }

  /**
   * Returns a record, with its prefix.
   *
   * @throws DamagedException there is none at this offset
   */
  public ByteBuffer record(long offset) throws IOException {
    try (Reader reader = reader()) {
      return reader.record(offset);
    }
  }

  /** Opens it for many reads, until the reader is closed. */
  public Reader reader() throws IOException {
    return new Reader();
  }

  /**
   * Reads records through one descriptor and one buffer; of those that follow each other many at
   * once. For one thread at a time.
   */
  public final class Reader implements AutoCloseable {
    private final RandomAccessFile in = open(path);
    private ByteBuffer window = buffer(AHEAD_BYTES).limit(0);
    private long windowAt;

    private Reader() throws IOException {}

    /**
     * Returns a record, with its prefix; valid until the next call.
     *
     * @throws DamagedException there is none at this offset
     */
    public ByteBuffer record(long offset) throws IOException {
      int size = sizeInWindow(offset);
      if (size < 0) {
        load(offset);
        size = sizeInWindow(offset);
      }
      if (size < 0) {
        throw new DamagedException("damaged: " + path + " has no record at byte " + offset);
      }
      return window.slice((int) (offset - windowAt), size).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Returns the size of a record that the window has whole; -1 if it has none. */
    private int sizeInWindow(long offset) {
      if (offset < windowAt || offset >= windowAt + window.limit()) {
        return -1;
      }
      int at = (int) (offset - windowAt);
      int size = series.sizeAt(window, at);
      return size <= window.limit() - at && series.isValid(window, at, seed) ? size : -1;
    }

    /** Reads a record into the window, and those after it if they are likely to be read too. */
    private void load(long offset) throws IOException {
      long end = windowAt + window.limit();
      boolean onward = windowAt > 0 && offset >= windowAt && offset <= end + AHEAD_BYTES;
      fill(offset, onward ? ONWARD_BYTES : AHEAD_BYTES);
      int size = series.sizeAt(window, 0);
      if (size > window.limit()) {
        fill(offset, (int) Math.min(size, in.length() - offset));
      }
    }

    private void fill(long offset, int most) throws IOException {
      int capacity = window.capacity();
      if (capacity < most || capacity > ONWARD_BYTES) { // that of a large record is not kept
        window = buffer(most);
      }
      window.limit(0);
      windowAt = offset;
      read(in, offset, window, most);
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }

  /**
   * Visits the records from an offset up to an end; after damage it continues at the next valid
   * one. What the file lacks up to the end counts as damaged.
   */
  public void scan(long from, long end, Visitor visitor) throws IOException {
    try (RandomAccessFile in = open(path)) {
      new Scan(in, from, Math.min(end, in.length())).run(visitor);
      if (in.length() < end) {
        visitor.damaged(Math.max(in.length(), from), end);
      }
    }
  }

  private final class Scan {
    private final RandomAccessFile in;
    private final long end;
    private final ByteBuffer window = buffer(WINDOW_BYTES);
    private long at;
    private long windowAt;

    Scan(RandomAccessFile in, long from, long end) throws IOException {
      this.in = in;
      this.end = end;
      this.at = from;
      this.windowAt = from;
      read(in, from, window, WINDOW_BYTES);
    }

    void run(Visitor visitor) throws IOException {
      long damagedFrom = at;
      while (at < end) {
        int size = sizeHere();
        if (size < 0) {
          at++;
          continue;
        }
        if (damagedFrom < at) {
          visitor.damaged(damagedFrom, at);
        }
        int part = Math.min(size, Series.PREFIX_BYTES + series.checked());
        ByteBuffer record =
            window.slice((int) (at - windowAt), part).order(ByteOrder.LITTLE_ENDIAN);
        if (!visitor.record(record, at, size)) {
          return;
        }
        at += size;
        damagedFrom = at;
      }
      if (damagedFrom < at) {
        visitor.damaged(damagedFrom, at);
      }
    }

    /** Returns the size of the record at the current offset; -1 if there is none. */
    private int sizeHere() throws IOException {
      int most = Series.PREFIX_BYTES + Math.min(series.checked(), series.most());
      if (at < windowAt || Math.min(end, at + most) > windowAt + window.limit()) {
        windowAt = at;
        read(in, at, window, WINDOW_BYTES);
      }
      int here = (int) (at - windowAt);
      int size = series.sizeAt(window, here);
      return size <= end - at && series.isValid(window, here, seed) ? size : -1;
    }
  }

  /** Deletes it. */
  public void delete() throws IOException {
    close();
    Files.deleteIfExists(path);
  }

  @Override
  public void close() throws IOException {
    FileChannel channel = unforced;
    unforced = null;
    if (channel != null) {
      channel.close();
    }
  }
}
