package com.wookler.river.core.delay;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.file.Checksum;
import com.wookler.river.core.file.DurableFiles;
import com.wookler.river.core.file.NumberedFiles;
import com.wookler.river.core.file.Sealed;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.DocumentReader;
import com.wookler.river.core.message.DocumentWriter;
import com.wookler.river.core.message.Stamp;
import com.wookler.river.core.message.StoredMessage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A file of waiting messages, {@code due-<number>}, in the order in which they came. Numbers are
 * little-endian:
 *
 * <pre>
 *  offset  size  what
 *       0     8  "RIVERDUE"
 *       8     4  version, 1
 *      12    16  the queue's UUID
 *      28     8  number of the file
 *      36     4  CRC32C of these
 *      40     …  records
 * </pre>
 *
 * <p>A record:
 *
 * <pre>
 *       0     4  "DUE1"
 *       4     4  CRC32C of: queue UUID, number of the file, bytes 8..27
 *       8     8  when it is due, microseconds since 1970
 *      16     8  sequence
 *      24     4  length of what follows
 *      28     …  the message: a document of one ({@link
 *                com.wookler.river.core.message.DocumentFormat}), of block 0; of one that was
 *                damaged when it came here, what was left of it, or a byte 0
 * </pre>
 *
 * <p>What stands behind the length that {@link TimerState} names counts for nothing. Written by one
 * thread at a time; read by any. Each read opens the file, and what is written stays open until it
 * is forced, so that messages that only wait hold no descriptor. Where the file is there and cannot
 * be opened, such as for want of descriptors, each method throws a {@link RiverException}.
 */
final class BucketFile implements AutoCloseable {
  static final NumberedFiles FILES = new NumberedFiles("due-");
  static final int HEADER_BYTES = 40;
  static final int RECORD_BYTES = 28;

  private static final long MAGIC = 0x4555445245564952L; // "RIVERDUE"
  private static final int VERSION = 1;
  private static final int RECORD_MAGIC = 0x31455544; // "DUE1"
  private static final int NO_BLOCK = 0;
  private static final int AHEAD_BYTES = 1 << 10; // read with a head: most records are shorter

  private final Path path;
  private final UUID queue;
  private final long number;
  private @Nullable FileChannel unforced; // with what was written since the last force

  private BucketFile(Path path, UUID queue, long number) {
    this.path = path;
    this.queue = queue;
    this.number = number;
  }

  static Path path(Path directory, long number) {
    return directory.resolve(FILES.name(number));
  }

  /** Returns a new one, not forced. */
  static BucketFile create(Path directory, UUID queue, long number) throws IOException {
    Path path = path(directory, number);
    BucketFile file = new BucketFile(path, queue, number);
    try {
      file.unforced = DurableFiles.create(path);
      file.write(file.header(), 0);
    } catch (Throwable e) {
      file.close();
      Files.deleteIfExists(path);
      throw e;
    }
    return file;
  }

  /**
   * One that is there.
   *
   * @throws DamagedMessageException it is not this file of this queue
   * @throws RiverException a newer River wrote it
   */
  static BucketFile open(Path directory, UUID queue, long number, boolean write, long end)
      throws IOException {
    BucketFile file = new BucketFile(path(directory, number), queue, number);
    file.check();
    if (write && file.size() > end) {
      try (FileChannel channel = file.channel(StandardOpenOption.WRITE)) {
        channel.truncate(end); // a run that was ended did not count it
      }
    }
    return file;
  }

  private FileChannel channel(OpenOption option) throws IOException {
    try {
      return FileChannel.open(path, option);
    } catch (NoSuchFileException e) {
      throw e;
    } catch (FileSystemException e) { // which says nothing of what it holds
      throw new RiverException("cannot open " + path + " now: " + e.getMessage(), e);
    }
  }

  private ByteBuffer header() {
    ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    header.putLong(MAGIC).putInt(VERSION).putLong(queue.getMostSignificantBits());
    header.putLong(queue.getLeastSignificantBits()).putLong(number);
    return header.putInt(Checksum.ofAllBefore(header.array())).flip();
  }

  private void check() throws IOException {
    ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    read(header, 0);
    if (header.equals(header())) {
      return;
    }
    if (header.limit() == HEADER_BYTES
        && header.getLong(0) == MAGIC
        && header.getInt(HEADER_BYTES - 4) == Checksum.ofAllBefore(header.array())
        && header.getInt(8) != VERSION) {
      throw Sealed.otherFormat(path, header.getInt(8), VERSION);
    }
    throw new DamagedMessageException("damaged: " + path + " does not begin as it should");
  }

  Path path() {
    return path;
  }

  long number() {
    return number;
  }

  long size() throws IOException {
    return Files.size(path);
  }

  /** Encodes records. Not thread-safe. */
  static final class Encoder {
    private final Stamp stamp;
    private final DocumentWriter document = new DocumentWriter();

    Encoder(UUID queue) {
      this.stamp = new Stamp(queue);
    }

    /** Returns the message as a record of this file. */
    byte[] encode(long time, StoredMessage message, BucketFile file) {
      document.start();
      document.add(message.data(), message.key(), message.headers(), message.terms());
      stamp.stamp(document, NO_BLOCK, message.sequence(), message.publishedMicros());
      int length = document.length();
      ByteBuffer record = ByteBuffer.allocate(RECORD_BYTES + length);
      file.putHead(record, time, message.sequence(), length);
      document.memory().get(0, record.array(), RECORD_BYTES, length);
      document.finish();
      return record.array();
    }
  }

  /** A record of this file with these bytes, whatever they are. */
  byte[] record(long time, long sequence, byte[] document) {
    ByteBuffer record = ByteBuffer.allocate(RECORD_BYTES + document.length);
    putHead(record, time, sequence, document.length);
    record.put(RECORD_BYTES, document);
    return record.array();
  }

  private void putHead(ByteBuffer record, long time, long sequence, int length) {
    record.order(ByteOrder.LITTLE_ENDIAN);
    record.putInt(0, RECORD_MAGIC).putLong(8, time).putLong(16, sequence).putInt(24, length);
    record.putInt(4, headCheck(record, 0));
  }

  byte[] adopt(byte[] record) {
    ByteBuffer head = ByteBuffer.wrap(record).order(ByteOrder.LITTLE_ENDIAN);
    head.putInt(4, headCheck(head, 0));
    return record;
  }

  private int headCheck(ByteBuffer bytes, int offset) {
    CRC32C crc = new CRC32C();
    update(crc, queue.getMostSignificantBits());
    update(crc, queue.getLeastSignificantBits());
    update(crc, number);
    for (int at = offset + 8; at < offset + RECORD_BYTES; at++) {
      crc.update(bytes.get(at));
    }
    return (int) crc.getValue();
  }

  private static void update(CRC32C crc, long value) {
    for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
      crc.update((int) (value >>> shift));
    }
  }

  /** Length of the record whose head stands there; -1 if none does. */
  int lengthAt(ByteBuffer bytes, int offset) {
    if (bytes.getInt(offset) != RECORD_MAGIC
        || bytes.getInt(offset + 4) != headCheck(bytes, offset)) {
      return -1;
    }
    return RECORD_BYTES + bytes.getInt(offset + 24);
  }

  void write(ByteBuffer bytes, long offset) throws IOException {
    FileChannel channel = unforced == null ? channel(StandardOpenOption.WRITE) : unforced;
    unforced = channel;
    long to = offset;
    while (bytes.hasRemaining()) {
      to += channel.write(bytes, to);
    }
  }

  /** Forces what was written since the last force. After a failure it has to be written again. */
  void force() throws IOException {
    try {
      if (unforced != null) {
        unforced.force(false);
      }
    } finally {
      close();
    }
  }

  /** Fills the buffer as far as the file goes, and flips it. */
  void read(ByteBuffer into, long offset) throws IOException {
    try (FileChannel channel = channel(StandardOpenOption.READ)) {
      read(channel, into, offset);
    }
  }

  private static void read(FileChannel channel, ByteBuffer into, long offset) throws IOException {
    long from = offset;
    while (into.hasRemaining()) {
      int read = channel.read(into, from);
      if (read < 0) {
        break;
      }
      from += read;
    }
    into.flip();
  }

  /** The bytes of a record whose head was proven. */
  byte[] record(long offset) throws IOException {
    try (FileChannel channel = channel(StandardOpenOption.READ)) {
      ByteBuffer head = ByteBuffer.allocate(AHEAD_BYTES).order(ByteOrder.LITTLE_ENDIAN);
      read(channel, head, offset);
      int length = head.limit() < RECORD_BYTES ? -1 : lengthAt(head, 0);
      if (length >= 0 && length <= head.limit()) {
        return Arrays.copyOf(head.array(), length);
      }
      if (length < 0 || offset + length > channel.size()) {
        throw new DamagedMessageException("damaged: " + path + " has no message at byte " + offset);
      }
      ByteBuffer record = ByteBuffer.allocate(length);
      read(channel, record, offset);
      return record.array();
    }
  }

  /** Returns the bytes of the message of a record, damaged perhaps. */
  byte[] left(long offset, long sequence) throws IOException {
    byte[] record = record(offset);
    if (ByteBuffer.wrap(record).order(ByteOrder.LITTLE_ENDIAN).getLong(16) != sequence) {
      throw new DamagedMessageException(
          "damaged: " + path + " has another message at byte " + offset);
    }
    return Arrays.copyOfRange(record, RECORD_BYTES, record.length);
  }

  /**
   * Returns the message of a record.
   *
   * @throws DamagedMessageException it is not what was written
   */
  StoredMessage message(long offset, long sequence) throws IOException {
    byte[] record = record(offset);
    byte[] document = new byte[record.length - RECORD_BYTES];
    System.arraycopy(record, RECORD_BYTES, document, 0, document.length);
    DocumentReader reader = new DocumentReader(queue);
    reader.open(document, document.length, NO_BLOCK);
    StoredMessage message = reader.next();
    if (message.sequence() != sequence) {
      throw new DamagedMessageException(
          "damaged: " + path + " has another message at byte " + offset);
    }
    return message;
  }

  void delete() throws IOException {
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
