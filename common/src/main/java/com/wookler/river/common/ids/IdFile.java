package com.wookler.river.common.ids;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.common.file.RecordFile;
import com.wookler.river.common.file.Series;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The ids of one part of the window: a file of {@link IdRecord}s that only grows, a table of their
 * offsets, and the records that are not written yet.
 *
 * <p>Guarded by the lock of {@link IdStore}; but {@link #write} runs without it, on one thread at a
 * time, on what {@link #pending()} returned. A write forces through its own descriptor, so that no
 * error of the device is missed.
 */
final class IdFile {
  final RecordFile file;
  private final IdTable table = new IdTable();
  private CRC32C digest = new CRC32C(); // of all records, also those not written yet
  private boolean named; // whether its directory was forced; confined to the thread that writes

  private byte[] pending; // the end of the file, not written yet
  private int pendingLength;
  private long written; // bytes before these
  private long since;
  private long lastMicros;
  private RecordFile.@Nullable Reader reader; // open from the first look to the next flush

  private IdFile(RecordFile file, byte[] pending) {
    this.file = file;
    this.pending = pending;
    this.pendingLength = pending.length;
  }

  /** Begins a file, which the first {@link #write} creates: until then it is in memory. */
  static IdFile begin(Path directory, UUID queue, IdHeader header, RecordFile.Device device) {
    RecordFile file =
        new RecordFile(IdHeader.FILES, directory, queue, header.number(), false, device);
    IdFile begun = new IdFile(file, header.encode(queue));
    begun.since = header.micros();
    begun.lastMicros = header.micros();
    return begun;
  }

  /**
   * Returns a file of an earlier run, whose records the caller adds by {@link #known}. It is
   * forced: a run that crashed may have written records and not forced them, and they are never
   * written again.
   */
  static IdFile open(Path directory, UUID queue, long number, RecordFile.Device device)
      throws IOException {
    RecordFile file = new RecordFile(IdHeader.FILES, directory, queue, number, true, device);
    file.force();
    return new IdFile(file, new byte[0]);
  }

  long since() {
    return since;
  }

  long lastMicros() {
    return lastMicros;
  }

  /** Returns what a file that begins now records of this one, which does not change any more. */
  IdHeader.Entry entry() {
    return new IdHeader.Entry(file.number(), length(), ids(), (int) digest.getValue());
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
  void content(IdScan scan) throws IOException {
    IdHeader header = scan.header;
    since = header == null ? 0 : header.micros();
    digest = scan.digest;
    written = scan.whole;
    if (written < file.size()) {
      file.cut(written);
      file.force();
    }
  }

  /** Adds a record that is in the file already. */
  void known(IdRecord record, long hash, long offset) {
    table.add(hash, (int) offset);
    lastMicros = Math.max(lastMicros, record.micros());
  }

  void add(IdRecord record, long hash) {
    table.add(hash, (int) length());
    append(record);
  }

  void append(IdRecord record) {
    lastMicros = Math.max(lastMicros, record.micros());
    int bytes = record.bytes();
    if (pending.length - pendingLength < bytes) {
      pending = Arrays.copyOf(pending, Math.max(pending.length * 2, pendingLength + bytes));
    }
    ByteBuffer out = ByteBuffer.wrap(pending).order(ByteOrder.LITTLE_ENDIAN);
    record.write(out, pendingLength);
    file.seal(out, pendingLength, bytes - Series.PREFIX_BYTES);
    digest.update(pending, pendingLength, bytes);
    pendingLength += bytes;
  }

  /** Returns the record of the newest message with an id; null if there is none. */
  @Nullable IdRecord find(byte[] id, long hash) {
    IdRecord[] found = {null};
    table.find(
        hash,
        at -> {
          IdRecord record = read(at);
          IdRecord before = found[0];
          if (Arrays.equals(record.id(), id)
              && (before == null || before.sequence() < record.sequence())) {
            found[0] = record;
          }
          return false; // one that was stored in its place may follow
        });
    return found[0];
  }

  private IdRecord read(long at) {
    try {
      return IdRecord.of(at < written ? reader().record(at) : notWritten((int) (at - written)));
    } catch (IOException e) {
      throw new RiverException("cannot read " + file.path(), e);
    }
  }

  private RecordFile.Reader reader() throws IOException {
    RecordFile.Reader open = reader;
    if (open == null) {
      open = file.reader();
      reader = open;
    }
    return open;
  }

  /** Closes what {@link #find} has opened. */
  void stopReading() throws IOException {
    RecordFile.Reader open = reader;
    reader = null;
    if (open != null) {
      open.close();
    }
  }

  private ByteBuffer notWritten(int at) {
    ByteBuffer bytes = ByteBuffer.wrap(pending, at, pendingLength - at).slice();
    bytes.order(ByteOrder.LITTLE_ENDIAN);
    return bytes.limit(Series.PREFIX_BYTES + bytes.getInt(4));
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
    file.write(ByteBuffer.wrap(records), at);
    file.force();
    if (!named) {
      DurableFiles.forceDirectory(Objects.requireNonNull(file.path().toAbsolutePath().getParent()));
      named = true;
    }
  }

  void wrote(int bytes) {
    written += bytes;
    pendingLength -= bytes;
    System.arraycopy(pending, bytes, pending, 0, pendingLength);
  }
}
