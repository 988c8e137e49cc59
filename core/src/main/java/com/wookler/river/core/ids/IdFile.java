package com.wookler.river.core.ids;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.log.DurableFiles;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The ids of one part of the window: a file of {@link IdRecord}s that only grows, a table of their
 * places, and the end of the file that is not written yet.
 *
 * <p>Guarded by the lock of {@link IdStore}; but {@link #write} runs without it, on one thread at a
 * time, on what {@link #takePending} gave. Reads go through a {@link RandomAccessFile}: unlike a
 * channel it does not close when its thread is interrupted.
 */
final class IdFile {
  private final Path path;
  private final IdTable table = new IdTable();
  private final RandomAccessFile reader;
  private final FileChannel writer;

  private byte[] pending = new byte[256]; // what will stand at the end of the file
  private int pendingLength;
  private byte[] leaving = new byte[0]; // what is being written, before that
  private long written; // bytes of the file before these two
  private long lastMicros;

  private IdFile(Path path, RandomAccessFile reader, FileChannel writer, long written) {
    this.path = path;
    this.reader = reader;
    this.writer = writer;
    this.written = written;
  }

  /** A new file, empty. */
  static IdFile create(Path path) throws IOException {
    DurableFiles.create(path).close();
    return open(path);
  }

  /** A file of an earlier run, whose records are yet to be told: see {@link #known}. */
  static IdFile open(Path path) throws IOException {
    RandomAccessFile reader = new RandomAccessFile(path.toFile(), "r");
    try {
      FileChannel writer = FileChannel.open(path, StandardOpenOption.WRITE);
      return new IdFile(path, reader, writer, Files.size(path));
    } catch (Throwable e) {
      reader.close();
      throw e;
    }
  }

  long lastMicros() {
    return lastMicros;
  }

  /** Bytes, those included that are not written yet. */
  long length() {
    return written + leaving.length + pendingLength;
  }

  int ids() {
    return table.size();
  }

  boolean hasPending() {
    return pendingLength > 0 || leaving.length > 0;
  }

  /** Cuts off what is not to be read by a later run. */
  void cut(long length) throws IOException {
    writer.truncate(length);
    writer.force(true);
    written = length;
  }

  /** A record that stands in the file already. */
  void known(IdRecord record, long hash, long place) {
    table.add(hash, (int) place + 1);
    lastMicros = Math.max(lastMicros, record.micros());
  }

  void add(IdRecord record, long hash) {
    table.add(hash, (int) length() + 1);
    append(record);
  }

  void append(IdRecord record) {
    lastMicros = Math.max(lastMicros, record.micros());
    int bytes = record.bytes();
    if (pending.length - pendingLength < bytes) {
      pending = Arrays.copyOf(pending, Math.max(pending.length * 2, pendingLength + bytes));
    }
    record.write(ByteBuffer.wrap(pending).position(pendingLength));
    pendingLength += bytes;
  }

  /** The record of this id, null if it has none. */
  @Nullable IdRecord find(byte[] id, long hash) {
    int place =
        table.find(
            hash,
            at -> {
              IdRecord found = read(at - 1);
              return Arrays.equals(found.id(), id);
            });
    return place == 0 ? null : read(place - 1);
  }

  private IdRecord read(long at) {
    IdRecord record;
    if (at >= written + leaving.length) {
      record = IdRecord.read(view(pending, at - written - leaving.length));
    } else if (at >= written) {
      record = IdRecord.read(view(leaving, at - written));
    } else {
      record = IdRecord.read(ByteBuffer.wrap(readFile(at)));
    }
    if (record == null) {
      throw new RiverException("damaged: " + path + " has no id at byte " + at);
    }
    return record;
  }

  private static ByteBuffer view(byte[] bytes, long at) {
    return ByteBuffer.wrap(bytes).position((int) at);
  }

  private byte[] readFile(long at) {
    try {
      reader.seek(at + 4);
      int length = Integer.reverseBytes(reader.readInt());
      if (length < IdRecord.FIXED_BYTES || length > IdRecord.MAX_LENGTH) {
        return new byte[0];
      }
      byte[] bytes = new byte[IdRecord.PREFIX_BYTES + length];
      reader.seek(at);
      reader.readFully(bytes);
      return bytes;
    } catch (IOException e) {
      throw new RiverException("cannot read " + path, e);
    }
  }

  /** What is to be written; it is kept, and found, until {@link #wrote}. */
  ByteBuffer takePending() {
    byte[] all = Arrays.copyOf(leaving, leaving.length + pendingLength); // after a failure: again
    System.arraycopy(pending, 0, all, leaving.length, pendingLength);
    leaving = all;
    pendingLength = 0;
    return ByteBuffer.wrap(all);
  }

  /** Where that belongs. */
  long end() {
    return written;
  }

  /** Writes and forces; on a thread that nobody interrupts. */
  void write(ByteBuffer bytes, long at) throws IOException {
    long to = at;
    while (bytes.hasRemaining()) {
      to += writer.write(bytes, to);
    }
    writer.force(false);
  }

  void wrote() {
    written += leaving.length;
    leaving = new byte[0];
  }

  void close() throws IOException {
    try {
      writer.close();
    } finally {
      reader.close();
    }
  }

  void delete() throws IOException {
    close();
    Files.deleteIfExists(path);
  }
}
