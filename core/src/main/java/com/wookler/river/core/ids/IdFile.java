package com.wookler.river.core.ids;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.file.DurableFiles;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The ids of one part of the window: a file of {@link IdRecord}s that only grows, a table of their
 * offsets, and the records that are not written yet.
 *
 * <p>Guarded by the lock of {@link IdStore}; but {@link #write} runs without it, on one thread at a
 * time, on what {@link #pending()} returned. The file is opened for each use, so that an idle store
 * holds no descriptor; a write forces through its own descriptor, so that no error of the device is
 * missed. Reads use a {@link RandomAccessFile}, which unlike a channel does not close when its
 * thread is interrupted.
 */
final class IdFile {
  private final Path path;
  private final long number;
  private final Force device;
  private final CRC32C digest = new CRC32C(); // of all bytes, also those not written yet
  private final IdTable table = new IdTable();
  private boolean made; // whether the file exists; the first write creates it
  private boolean named; // whether its directory was forced

  private byte[] pending = new byte[256]; // the end of the file, not written yet
  private int pendingLength;
  private long written; // bytes before these
  private long since;
  private long lastMicros;

  @FunctionalInterface
  interface Force {
    void force(FileChannel channel) throws IOException;
  }

  private IdFile(Path directory, long number, Force device) {
    this.path = IdFiles.path(directory, number);
    this.number = number;
    this.device = device;
  }

  /** Begins a file, which the first {@link #write} creates: until then it is in memory. */
  static IdFile begin(Path directory, IdHeader header, Force device) {
    IdFile file = new IdFile(directory, header.number(), device);
    file.since = header.micros();
    file.append(header.record());
    return file;
  }

  /**
   * Returns a file of an earlier run, whose records the caller adds by {@link #known}. It is
   * forced: a run that crashed may have written records and not forced them, and they are never
   * written again.
   */
  static IdFile open(Path directory, long number, Force device) throws IOException {
    IdFile file = new IdFile(directory, number, device);
    file.made = true;
    try (FileChannel channel = file.channel()) {
      device.force(channel);
    }
    return file;
  }

  private FileChannel channel() throws IOException {
    return FileChannel.open(path, StandardOpenOption.WRITE);
  }

  Path path() {
    return path;
  }

  long number() {
    return number;
  }

  long since() {
    return since;
  }

  long lastMicros() {
    return lastMicros;
  }

  /** Returns what a file that begins now records of this one, which does not change any more. */
  IdHeader.Entry entry() {
    return new IdHeader.Entry(number, length(), ids(), (int) digest.getValue());
  }

  /** Returns its bytes, including those that are not written yet. */
  long length() {
    return written + pendingLength;
  }

  int ids() {
    return table.size();
  }

  boolean hasPending() {
    return pendingLength > 0;
  }

  /** Takes the valid part of its content, and cuts off the rest. */
  void content(byte[] content, IdScan scan) throws IOException {
    since = scan.header() == null ? 0 : scan.header().micros();
    digest.update(content, 0, scan.whole());
    written = scan.whole();
    if (scan.whole() < content.length) {
      try (FileChannel channel = channel()) {
        channel.truncate(written);
        channel.force(true);
      }
    }
  }

  /** Adds a record that is in the file already. */
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
    digest.update(pending, pendingLength, bytes);
    pendingLength += bytes;
  }

  /** Returns the record of this id, null if it has none. */
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
    IdRecord record =
        IdRecord.read(
            at >= written
                ? ByteBuffer.wrap(pending).position((int) (at - written))
                : ByteBuffer.wrap(readFile(at)));
    if (record == null) {
      throw new RiverException("damaged: " + path + " has no id at byte " + at);
    }
    return record;
  }

  private byte[] readFile(long at) {
    try (RandomAccessFile from = new RandomAccessFile(path.toFile(), "r")) {
      from.seek(at + 4);
      int length = Integer.reverseBytes(from.readInt());
      if (length < IdRecord.FIXED_BYTES || length > IdRecord.MAX_LENGTH) {
        return new byte[0];
      }
      byte[] bytes = new byte[IdRecord.PREFIX_BYTES + length];
      from.seek(at);
      from.readFully(bytes);
      return bytes;
    } catch (IOException e) {
      throw new RiverException("cannot read " + path, e);
    }
  }

  /** Returns what is to be written; it stays pending until {@link #wrote}. */
  byte[] pending() {
    return Arrays.copyOf(pending, pendingLength);
  }

  /** Returns the offset at which that is written. */
  long end() {
    return written;
  }

  /** Writes and forces, a new file's name too; on a thread that is not interrupted. */
  void write(byte[] records, long at) throws IOException {
    try (FileChannel channel = made ? channel() : DurableFiles.create(path)) {
      made = true;
      ByteBuffer bytes = ByteBuffer.wrap(records);
      while (bytes.hasRemaining()) {
        channel.write(bytes, at + bytes.position());
      }
      device.force(channel);
    }
    if (!named) {
      DurableFiles.forceDirectory(Objects.requireNonNull(path.toAbsolutePath().getParent()));
      named = true;
    }
  }

  void wrote(int bytes) {
    written += bytes;
    pendingLength -= bytes;
    System.arraycopy(pending, bytes, pending, 0, pendingLength);
  }

  void delete() throws IOException {
    Files.deleteIfExists(path);
  }

  /** Keeps a damaged file under another name. */
  void quarantine() throws IOException {
    if (!Files.exists(path)) {
      return; // the last try did it
    }
    DurableFiles.quarantine(path);
  }
}
