package com.wookler.river.core.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.PageFaults;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.file.Checksum;
import com.wookler.river.core.file.DurableFiles;
import com.wookler.river.core.file.Mappings;
import com.wookler.river.core.file.ReadFailedException;
import com.wookler.river.core.file.Sealed;
import com.wookler.river.core.message.DocumentFormat;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file {@code marks}, which says outside the blocks where the log ended, how far it was forced,
 * and which block was the last: so that a block cut short is not taken for the log's end, and
 * neither sequences nor block numbers are ever used again.
 *
 * <p>Numbers are little-endian:
 *
 * <pre>
 *  offset  size  what
 *       0     8  "RIVMARKS"
 *       8     4  version, 1
 *      12     4  0
 *      16    16  UUID of the queue
 *      32     4  CRC32C of bytes 0..31
 *      64    16  next sequence, slot A: the number, then its check
 *     128    16  next sequence, slot B
 *     192    16  number of the newest block, slot A
 *     256    16  number of the newest block, slot B
 *    4096    16  sequence up to which the log was forced, slot A
 *    4160    16  sequence up to which the log was forced, slot B
 *    4224    16  sequence below which all was taken out of the log, slot A; zeros in older files,
 *                and where that is not known
 *    4288    16  likewise, slot B
 *    8192     –  end
 * </pre>
 *
 * <p>Each mark only grows. Its slots are written in turns, number first, so that a kill between the
 * two stores leaves the other slot; the highest that fits its check counts. With one slot it may be
 * older than what was stored last: that is reported as damage, nothing is called lost for what it
 * says alone, and a recovery writes the file anew. The check is mixed with the queue's identity,
 * and each mark's in another way.
 *
 * <p>The mark of the end is stored into by each append, so its page is never forced while the log
 * runs: the next store would wait for the file system. A kill does not need that; after a power
 * loss it may be older than the log, or newer. What was forced stands in a page of its own.
 *
 * <p>What was taken out is forced before its block is deleted, so that a block that is not there is
 * not taken for a loss; and one that is missing above it, be it the oldest, is taken for nothing
 * else.
 *
 * <p>{@link #end} and {@link #block} are guarded by the append lock, {@link #forced} by the
 * forcer's monitor. {@link #close} needs that none of them is called any more: the process would
 * crash.
 */
final class LogMarks implements AutoCloseable {
  static final String NAME = "marks";
  static final int BYTES = 8192;

  /** Of damage that leaves one slot of a number, or of a kill just between its two stores. */
  static final String ONE_SLOT =
      "one of the two slots of a number is not what was written, so that the number may be older"
          + " than the last one";

  private static final Logger LOG = LoggerFactory.getLogger(LogMarks.class);
  private static final VarHandle LONGS =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final byte[] MAGIC = "RIVMARKS".getBytes(StandardCharsets.US_ASCII);
  private static final int VERSION = 1;
  private static final int VERSION_AT = 8;
  private static final int QUEUE_AT = 16;
  private static final int HEADER_CRC = 32;
  private static final int SLOT_BYTES = 64;
  private static final int END = 64;
  private static final int BLOCK = 192;
  private static final int FORCED = 4096;
  private static final int REMOVED = 4224;

  private final Path file;
  private final MappedByteBuffer buffer;
  private final Mark end;
  private final Mark block;
  private final Mark forced;
  private final boolean trusted;
  private final long removedAtLeast;
  private volatile boolean unforced; // whether the mark of what is forced is ahead of the device

  @GuardedBy("this")
  private final Mark removed;

  @GuardedBy("this")
  private boolean removedKnown;

  @GuardedBy("this")
  private boolean removedForced = true;

  @GuardedBy("this")
  private boolean closed;

  private LogMarks(Path file, MappedByteBuffer buffer, Content content, boolean trusted) {
    this.file = file;
    this.buffer = buffer;
    this.end = new Mark(buffer, END, content.end());
    this.block = new Mark(buffer, BLOCK, content.block());
    this.forced = new Mark(buffer, FORCED, content.forced());
    this.removed = new Mark(buffer, REMOVED, content.removed());
    this.removedKnown = content.removed().isExact();
    this.removedAtLeast = content.removed().orZero();
    this.trusted = trusted;
  }

  /** A number as its slots have it; -1 if neither fits its check. */
  private record Slots(long seed, long value, int next, int valid) {
    static Slots read(ByteBuffer in, int at, long seed) {
      long a = valid(in, at, seed);
      long b = valid(in, at + SLOT_BYTES, seed);
      int older = at + (a > b ? SLOT_BYTES : 0);
      return new Slots(seed, Math.max(a, b), older, (a < 0 ? 0 : 1) + (b < 0 ? 0 : 1));
    }

    private static long valid(ByteBuffer in, int at, long seed) {
      long value = in.getLong(at);
      return in.getLong(at + 8) == DocumentFormat.digest(seed, value) ? value : -1;
    }

    long orZero() {
      return Math.max(0, value);
    }

    /**
     * Returns whether it is the number that was stored last; with one slot it may be the one
     * before.
     */
    boolean isExact() {
      return valid == 2;
    }

    Slots with(long number) {
      return new Slots(seed, number, next, 2);
    }
  }

  /** What the file holds; whatever that is, reading it does not fail. */
  private record Content(boolean header, Slots end, Slots block, Slots forced, Slots removed) {
    static Content of(byte[] bytes, UUID queue) {
      ByteBuffer in = ByteBuffer.wrap(Arrays.copyOf(bytes, BYTES)).order(ByteOrder.LITTLE_ENDIAN);
      byte[] header = headerOf(queue);
      long seed = DocumentFormat.digest(queue.getMostSignificantBits(), END);
      seed = DocumentFormat.digest(seed, queue.getLeastSignificantBits());
      return new Content(
          bytes.length == BYTES && Arrays.equals(bytes, 0, header.length, header, 0, header.length),
          Slots.read(in, END, seed),
          Slots.read(in, BLOCK, DocumentFormat.digest(seed, BLOCK)),
          Slots.read(in, FORCED, DocumentFormat.digest(seed, FORCED)),
          Slots.read(in, REMOVED, DocumentFormat.digest(seed, REMOVED)));
    }

    /** Returns whether there is something in it to go on with. */
    boolean sound() {
      return header && end.valid() > 0 && block.valid() > 0 && forced.valid() > 0;
    }

    /** Returns whether each number is the one that was stored last. */
    boolean whole() {
      boolean exact = end.isExact() && block.isExact() && forced.isExact();
      return header && exact && removed.valid() != 1;
    }

    /** Returns the same numbers in a sound file. */
    byte[] encode(UUID queue) {
      ByteBuffer out = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
      out.put(headerOf(queue));
      put(out, END, end);
      put(out, BLOCK, block);
      put(out, FORCED, forced);
      if (removed.isExact()) {
        put(out, REMOVED, removed);
      }
      return out.array();
    }

    /** That of a log of which nothing was taken out yet. */
    Content withNothingRemoved() {
      return new Content(header, end, block, forced, removed.with(0));
    }

    private static void put(ByteBuffer out, int at, Slots slots) {
      for (int slot = at; slot <= at + SLOT_BYTES; slot += SLOT_BYTES) {
        out.putLong(slot, slots.orZero());
        out.putLong(slot + 8, DocumentFormat.digest(slots.seed(), slots.orZero()));
      }
    }
  }

  /** One number in its two slots. Guarded by its writer's lock. */
  private static final class Mark {
    private final MappedByteBuffer buffer;
    private final long seed;
    private final int both; // offsets of its slots, one xor the other
    private int slot;
    private long value;

    Mark(MappedByteBuffer buffer, int at, Slots slots) {
      this.buffer = buffer;
      this.seed = slots.seed();
      this.both = at ^ (at + SLOT_BYTES);
      this.slot = slots.next();
      this.value = slots.orZero();
    }

    void store(long number) {
      LONGS.setRelease(buffer, slot, number);
      LONGS.setRelease(buffer, slot + 8, DocumentFormat.digest(seed, number));
      if ((long) LONGS.getOpaque(buffer, slot) != number) { // the page is gone; its error is late
        PageFaults.settle();
        throw new InternalError("the file " + NAME + " of the log was cut");
      }
      slot ^= both;
      value = number;
    }
  }

  private static byte[] headerOf(UUID queue) {
    ByteBuffer out = ByteBuffer.allocate(HEADER_CRC + 4).order(ByteOrder.LITTLE_ENDIAN);
    out.put(MAGIC).putInt(VERSION).putInt(0);
    out.putLong(queue.getMostSignificantBits()).putLong(queue.getLeastSignificantBits());
    return out.putInt(Checksum.of(out.array(), 0, HEADER_CRC)).array();
  }

  /**
   * Returns the queue that a log's marks name; empty if they are missing, or their beginning is
   * damaged.
   */
  static Optional<UUID> owner(Path log) throws IOException {
    Path file = log.resolve(NAME);
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return Optional.empty();
    }
    byte[] bytes = ReadFailedException.all(file);
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    return isHeader(bytes) && in.getInt(HEADER_CRC) == Checksum.of(bytes, 0, HEADER_CRC)
        ? Optional.of(new UUID(in.getLong(QUEUE_AT), in.getLong(QUEUE_AT + 8)))
        : Optional.empty();
  }

  private static boolean isHeader(byte[] bytes) {
    return bytes.length >= HEADER_CRC + 4 && Arrays.equals(bytes, 0, 8, MAGIC, 0, 8);
  }

  private static void refuseNewer(Path file, byte[] bytes) {
    if (!isHeader(bytes)) {
      return;
    }
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    if (in.getInt(VERSION_AT) > VERSION
        && in.getInt(HEADER_CRC) == Checksum.of(bytes, 0, HEADER_CRC)) {
      throw Sealed.otherFormat(file, in.getInt(VERSION_AT), VERSION);
    }
  }

  /**
   * Returns the bytes of a log's marks, none if there is no such file. Touches nothing.
   *
   * @throws RiverException a newer River wrote it
   */
  static byte[] read(LogSettings settings) throws IOException {
    Path file = settings.directory().resolve(NAME);
    byte[] bytes = {};
    if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      bytes = ReadFailedException.all(file);
    }
    refuseNewer(file, bytes);
    return bytes;
  }

  /**
   * Opens a log's marks, or makes them. A damaged file is quarantined, and what can be read of it
   * counts; a missing one is reported unless the log is new.
   *
   * @throws RiverException a newer River wrote it
   */
  static LogMarks open(LogSettings settings, boolean isNew) throws IOException {
    Path file = settings.directory().resolve(NAME);
    byte[] bytes = read(settings);
    boolean exists = Files.exists(file, LinkOption.NOFOLLOW_LINKS);
    Content content = Content.of(bytes, settings.identity());
    if (isNew && !exists) {
      content = content.withNothingRemoved();
    }
    if (!content.whole()) {
      if (exists) {
        Path aside = DurableFiles.quarantine(file);
        LOG.warn(
            "Queue {}: damaged: {}: {}; kept as {}, and compared with blocks, seals and backups",
            settings.queue(),
            file,
            content.sound() ? ONE_SLOT : "its checks are wrong",
            aside);
      } else if (!isNew) {
        LOG.warn(
            "Queue {}: damaged: {} is missing; where the log ended is known by its blocks alone",
            settings.queue(),
            file);
      }
      if (isNew && !exists) {
        DurableFiles.writeNew(file, content.encode(settings.identity())); // named with block 1
      } else {
        DurableFiles.write(file, content.encode(settings.identity()));
      }
    }
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return new LogMarks(
          file, channel.map(MapMode.READ_WRITE, 0, BYTES), content, isNew || content.whole());
    }
  }

  /**
   * What a file says, which is read only.
   *
   * @param sound whether it could go on being used as it is
   * @param whole whether each number is the one that was stored last
   * @param removed all below it was taken out of the log, and nothing above; empty if not known
   */
  record Look(
      boolean sound, boolean whole, long end, int block, long forced, OptionalLong removed) {}

  /** Looks into a file, also while it is in use. */
  static Look look(byte[] bytes, UUID queue) {
    Content content = Content.of(bytes, queue);
    return new Look(
        content.sound(),
        content.whole(),
        content.end().orZero(),
        (int) content.block().orZero(),
        content.forced().orZero(),
        content.removed().isExact()
            ? OptionalLong.of(content.removed().value())
            : OptionalLong.empty());
  }

  /** The file of a log that ended here, with all of it on the device. */
  static void write(Path log, UUID queue, long nextSequence, int newest) throws IOException {
    byte[] none = {};
    Content content = Content.of(none, queue);
    DurableFiles.write(
        log.resolve(NAME),
        new Content(
                true,
                content.end().with(nextSequence),
                content.block().with(newest),
                content.forced().with(nextSequence),
                content.removed())
            .encode(queue));
  }

  /** Returns the next sequence, as it was stored last. */
  long end() {
    return end.value;
  }

  /** Returns the newest block, as it was stored last. */
  int block() {
    return (int) block.value;
  }

  /** Returns all below it was forced, as it was stored last. */
  long forced() {
    return forced.value;
  }

  /** Returns whether the file was as the last run left it, or the log is new. */
  boolean isTrusted() {
    return trusted;
  }

  /** Returns all below it was taken out of the log, as far as the file says, and perhaps more. */
  long removedAtLeast() {
    return removedAtLeast;
  }

  /**
   * Returns all below it was taken out of the log, and nothing above; empty if that is not known.
   */
  synchronized OptionalLong removed() {
    return removedKnown ? OptionalLong.of(removed.value) : OptionalLong.empty();
  }

  /**
   * All below this sequence leaves the log; on the device when this returns. After a force that
   * failed it is stored again: what the system did not write counts as written otherwise.
   */
  synchronized void removed(long sequence, Device device) throws IOException {
    if (!closed && (sequence > removed.value || !removedKnown || !removedForced)) {
      removed.store(Math.max(sequence, removed.value));
      if (!removedKnown) {
        removed.store(removed.value); // neither slot had a number that counts
      }
      removedKnown = true;
      removedForced = false;
      force(device, FORCED, BYTES - FORCED);
      removedForced = true;
    }
  }

  /**
   * Looks whether the file is there still, and whole.
   *
   * @throws IOException it is not
   */
  void checkFile() throws IOException {
    long size = Files.size(file);
    if (size < BYTES) {
      throw new IOException(file + " was cut to " + size + " bytes of " + BYTES);
    }
  }

  /** The log goes on with this sequence; to be called when what lies below it can be read. */
  void end(long nextSequence) {
    end.store(nextSequence);
  }

  /** This block is the newest from now on. */
  void block(int number) {
    block.store(number);
  }

  /** All below this sequence is on the device. */
  void forced(long sequence) {
    if (sequence > forced.value) {
      forced.store(sequence);
      unforced = true;
    }
  }

  /** Returns whether the mark of what is forced is not on the device itself. */
  boolean isUnforced() {
    return unforced;
  }

  /**
   * Brings the mark of what is forced to the device; without it a later loss is not called damage.
   *
   * @throws IOException the device refused, which it does not say twice
   */
  void forceForced(Device device) throws IOException {
    if (unforced) {
      unforced = false;
      force(device, FORCED, BYTES - FORCED);
    }
  }

  /** Brings all to the device; not while the log runs. */
  void force() throws IOException {
    force(Device.REAL, 0, BYTES);
  }

  private synchronized void force(Device device, int from, int length) throws IOException {
    try {
      if (!closed) {
        device.forceMarks(buffer, from, length);
      }
    } catch (IOException | UncheckedIOException e) { // the system does not say which file
      throw new IOException("cannot force " + file + ": " + e.getMessage(), e);
    }
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      try {
        force();
      } catch (IOException e) { // what they would say is known by the blocks too
        LOG.error("Where the log ended is not on the device", e);
      }
      closed = true;
      Mappings.unmap(buffer);
    }
  }
}
