package com.wookler.river.crash;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.TimeSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * An append-only file of records, kept outside the directory under test. What {@link #append} has
 * stored survives a kill of the process.
 *
 * <p>The file is mapped, so that an append is no system call: errors that are put into those of the
 * process do not meet its ledger. A record's kind is stored last, and without one it is not there.
 */
final class Journal {
  private static final VarHandle LONGS =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final int RECORD = 5 * Long.BYTES;
  private static final int CHUNK = 100_000 * RECORD;

  /**
   * One line of the journal; what the fields mean depends on the kind.
   *
   * @param nanos when it was written, on the machine's monotonic clock
   */
  record Entry(Kind kind, long a, long b, long c, long nanos) {}

  /** What happened. */
  enum Kind {
    /** The end of the journal. */
    NONE,
    /** About to publish: first number a, b messages, to the device if c is 1. */
    INTENT,
    /** Published: first number a, b messages, first sequence c. */
    PUBLISHED,
    /** The publish failed, and nothing is stored: first number a, b messages. */
    REFUSED,
    /** The publish failed, and may be stored or not: first number a, b messages. */
    FAILED,
    /** Delivered: sequence a, attempt b, id of the content c. */
    DELIVERED,
    /** About to ack: sequence a, attempt b. */
    ACKING,
    /** The ack returned: sequence a, attempt b. */
    ACKED,
    /** The ack was refused because a later attempt is under way: sequence a, attempt b. */
    STALE,
    /** Passed over as damaged: sequence a. */
    PASSED,
    /** The log is on the device: below sequence a. */
    FORCED,
    /** Acknowledgements that returned before the time a are on the device. */
    FORCED_ACKS,
    /** About to give back for later: sequence a, in b milliseconds. */
    NACKING,
    /** That returned: sequence a, in b milliseconds. */
    NACKED
  }

  private static final List<Kind> KINDS = List.of(Kind.values());

  private final Path file;

  @GuardedBy("this")
  private MappedByteBuffer chunk;

  @GuardedBy("this")
  private long chunks = 1;

  Journal(Path file) {
    this.file = file;
    this.chunk = map(0);
  }

  private MappedByteBuffer map(long at) {
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return channel.map(FileChannel.MapMode.READ_WRITE, at, CHUNK);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  synchronized void append(Kind kind, long a, long b, long c) {
    if (!chunk.hasRemaining()) {
      chunk = map(chunks++ * CHUNK);
    }
    int at = chunk.position();
    chunk
        .putLong(at + 8, a)
        .putLong(at + 16, b)
        .putLong(at + 24, c)
        .putLong(at + 32, TimeSource.system().nanoTime())
        .position(at + RECORD);
    LONGS.setRelease(chunk, at, (long) KINDS.indexOf(kind));
  }

  /** All records that were written whole; none if there is no file. */
  static List<Entry> read(Path file) throws IOException {
    List<Entry> entries = new ArrayList<>();
    if (!Files.exists(file)) {
      return entries;
    }
    try (FileChannel channel = FileChannel.open(file)) {
      ByteBuffer in = ByteBuffer.allocate(1_000 * RECORD);
      while (channel.read(in) >= 0) {
        in.flip();
        while (in.remaining() >= RECORD) {
          Kind kind = KINDS.get((int) in.getLong());
          Entry entry = new Entry(kind, in.getLong(), in.getLong(), in.getLong(), in.getLong());
          if (kind == Kind.NONE) {
            return entries;
          }
          entries.add(entry);
        }
        in.compact();
      }
    }
    return entries;
  }
}
