package com.wookler.river.core.log.files;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.Checkpoint;
import com.wookler.river.common.file.Checkpoint.Content;
import com.wookler.river.common.file.Checkpoint.Slots;
import com.wookler.river.common.file.Checkpoint.Stored;
import com.wookler.river.common.file.Device;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.common.file.MappedFile;
import com.wookler.river.common.file.ReadFailedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
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
 * <p>It is a {@link Checkpoint} of 8,192 bytes, whose owner is the queue, with these numbers:
 *
 * <pre>
 *  offset  what
 *      64  next sequence
 *     192  number of the newest block
 *    4096  sequence up to which the log was forced
 *    4224  sequence below which all was taken out of the log; not valid where that is not known
 * </pre>
 *
 * <p>A file in which one slot of a number is not valid is reported as damaged, nothing is called
 * lost for what it says alone, and a recovery writes it anew.
 *
 * <p>Each append stores the end, so its page is never forced while the log runs: the next store
 * would wait for the file system. A kill does not need that; after a power loss it may be older
 * than the log, or newer. What was forced is in a page of its own. What was taken out is forced
 * before its block is deleted, so that a block is lost if it is missing above that, and only then.
 *
 * <p>{@link #end} and {@link #block} are guarded by the append lock, {@link #forced} by the
 * forcer's monitor. {@link #close} needs that none of them is called any more: the process would
 * crash.
 */
public final class LogMarks implements AutoCloseable {
  public static final String NAME = "marks";
  public static final int BYTES = 8192;

  /** Of damage that leaves one slot of a number, or of a kill just between its two stores. */
  public static final String ONE_SLOT =
      "one of the two slots of a number is not what was written, so that the number may be older"
          + " than the last one";

  private static final Logger LOG = LoggerFactory.getLogger(LogMarks.class);
  private static final int FORCED_AT = 4096;
  private static final int END = 0;
  private static final int BLOCK = 1;
  private static final int FORCED = 2;
  private static final int REMOVED = 3;
  private static final Checkpoint FORM = new Checkpoint("MRK", 1, BYTES, 64, 192, FORCED_AT, 4224);

  private final MappedFile file;
  private final Stored end;
  private final Stored block;
  private final Stored forced;
  private final boolean trusted;
  private final long removedAtLeast;
  private final boolean removedFound;
  private volatile boolean unforced; // whether the number that was forced is ahead of the device

  @GuardedBy("this")
  private final Stored removed;

  @GuardedBy("this")
  private boolean removedKnown;

  @GuardedBy("this")
  private boolean removedForced = true;

  @GuardedBy("this")
  private boolean closed;

  private LogMarks(MappedFile file, Content content, boolean trusted) {
    this.file = file;
    this.end = new Stored(file, content.number(END));
    this.block = new Stored(file, content.number(BLOCK));
    this.forced = new Stored(file, content.number(FORCED));
    this.removed = new Stored(file, content.number(REMOVED));
    this.removedKnown = content.number(REMOVED).isExact();
    this.removedFound = removedKnown;
    this.removedAtLeast = content.number(REMOVED).orZero();
    this.trusted = trusted;
  }

  /** Returns whether the content can be used. */
  private static boolean isSound(Content content) {
    return content.header()
        && content.numbers().subList(END, REMOVED).stream().allMatch(slots -> slots.valid() > 0);
  }

  /** Returns whether each number is the one that was stored last. */
  private static boolean isWhole(Content content) {
    return content.header()
        && content.numbers().subList(END, REMOVED).stream().allMatch(Slots::isExact)
        && content.number(REMOVED).valid() != 1;
  }

  /** Returns the file with these numbers, the last of them if it is known. */
  private static byte[] encode(UUID queue, long end, long block, long forced, Slots removed) {
    Content none = FORM.decode(new byte[0], queue);
    List<Slots> numbers =
        List.of(
            none.number(END).with(end),
            none.number(BLOCK).with(block),
            none.number(FORCED).with(forced),
            removed.isExact() ? removed : none.number(REMOVED));
    return FORM.encode(queue, new Content(true, 0, numbers));
  }

  /** Returns the queue that a log's marks name; empty if that cannot be read. */
  public static Optional<UUID> owner(Path log) throws IOException {
    Path file = log.resolve(NAME);
    return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
        ? FORM.ownerOf(ReadFailedException.all(file))
        : Optional.empty();
  }

  /** Returns what a log's marks hold, nothing if there is no such file; changes nothing. */
  public static Content read(LogDirectory log) throws IOException {
    Path file = log.path().resolve(NAME);
    byte[] bytes = {};
    if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      bytes = ReadFailedException.all(file);
    }
    return FORM.read(file, bytes, log.identity());
  }

  /**
   * Opens a log's marks, or makes them. A damaged file is quarantined, and what can be read of it
   * counts; a missing one is reported unless the log is new.
   */
  public static LogMarks open(LogDirectory log, boolean isNew) throws IOException {
    Path file = log.path().resolve(NAME);
    Content content = read(log);
    if (!isWhole(content)) {
      content = makeAnew(log, file, content, isNew);
      return new LogMarks(MappedFile.open(file, BYTES, null), content, isNew);
    }
    return new LogMarks(MappedFile.open(file, BYTES, null), content, true);
  }

  private static Content makeAnew(LogDirectory log, Path file, Content content, boolean isNew)
      throws IOException {
    boolean exists = Files.exists(file, LinkOption.NOFOLLOW_LINKS);
    Slots removed = content.number(REMOVED);
    if (exists) {
      LOG.warn(
          "Queue {}: damaged: {}: {}; kept as {}, and compared with blocks, seals and backups",
          log.queue(),
          file,
          isSound(content) ? ONE_SLOT : "its checks are wrong",
          DurableFiles.quarantine(file));
    } else if (isNew) {
      removed = removed.with(0); // nothing was taken out yet
    } else {
      LOG.warn(
          "Queue {}: damaged: {} is missing; where the log ended is known by its blocks alone",
          log.queue(),
          file);
    }
    byte[] bytes =
        encode(
            log.identity(),
            content.number(END).orZero(),
            content.number(BLOCK).orZero(),
            content.number(FORCED).orZero(),
            removed);
    if (isNew && !exists) {
      DurableFiles.writeNew(file, bytes); // named with block 1
    } else {
      DurableFiles.write(file, bytes);
    }
    return FORM.decode(bytes, log.identity());
  }

  /**
   * The content of a file that is only read.
   *
   * @param whole whether each number is the one that was stored last
   * @param removed all below it was taken out of the log, and nothing above; empty if not known
   */
  public record Look(boolean sound, boolean whole, long end, long forced, OptionalLong removed) {}

  /** Decodes a file's bytes, also while it is in use. */
  public static Look look(byte[] bytes, UUID queue) {
    Content content = FORM.decode(bytes, queue);
    Slots removed = content.number(REMOVED);
    return new Look(
        isSound(content),
        isWhole(content),
        content.number(END).orZero(),
        content.number(FORCED).orZero(),
        removed.isExact() ? OptionalLong.of(removed.value()) : OptionalLong.empty());
  }

  /** Writes the file of a log that ended here, with all of it on the device. */
  public static void write(Path log, UUID queue, long nextSequence, int newest) throws IOException {
    Slots unknown = FORM.decode(new byte[0], queue).number(REMOVED);
    DurableFiles.write(
        log.resolve(NAME), encode(queue, nextSequence, newest, nextSequence, unknown));
  }

  /** Writes the file of a log that ended here, all of it on the device, and began there. */
  public static void write(Path log, UUID queue, long nextSequence, int newest, long first)
      throws IOException {
    Slots removed = FORM.decode(new byte[0], queue).number(REMOVED).with(first);
    DurableFiles.write(
        log.resolve(NAME), encode(queue, nextSequence, newest, nextSequence, removed));
  }

  public long end() {
    return end.value();
  }

  public int block() {
    return (int) block.value();
  }

  /** Returns the sequence below which all was forced, as it was stored last. */
  public long forced() {
    return forced.value();
  }

  /** Returns whether the file was as the last run left it, or the log is new. */
  public boolean isTrusted() {
    return trusted;
  }

  /** Returns a sequence below which all was taken out of the log, and perhaps more. */
  public long removedAtLeast() {
    return removedAtLeast;
  }

  /** Returns whether it was known, when the marks were opened, what was taken out of the log. */
  public boolean isRemovedFound() {
    return removedFound;
  }

  /** Returns the sequence below which all was taken out, and nothing above; empty if unknown. */
  public synchronized OptionalLong removed() {
    return removedKnown ? OptionalLong.of(removed.value()) : OptionalLong.empty();
  }

  /**
   * Stores that all below this sequence leaves the log, on the device; and again after a force that
   * failed: what the system did not write counts as written otherwise.
   */
  public synchronized void removed(long sequence, Device device) throws IOException {
    if (!closed && (sequence > removed.value() || !removedKnown || !removedForced)) {
      store(removed, Math.max(sequence, removed.value()));
      if (!removedKnown) {
        store(removed, removed.value()); // neither slot had a number that counts
      }
      removedKnown = true;
      removedForced = false;
      force(device, FORCED_AT, BYTES - FORCED_AT);
      removedForced = true;
    }
  }

  /** Throws an IOException if the file is not there any more, or not whole. */
  public void checkFile() throws IOException {
    long size = Files.size(file.path());
    if (size < BYTES) {
      throw new IOException(file.path() + " was cut to " + size + " bytes of " + BYTES);
    }
  }

  /** Stores the next sequence; to be called when all below it can be read. */
  public void end(long nextSequence) {
    store(end, nextSequence);
  }

  public void block(int number) {
    store(block, number);
  }

  /** Stores the sequence below which all is on the device. */
  public void forced(long sequence) {
    if (sequence > forced.value()) {
      store(forced, sequence);
      unforced = true;
    }
  }

  /** Returns whether the number that was forced is not on the device itself. */
  public boolean isUnforced() {
    return unforced;
  }

  /** Brings the forced number to the device; without it a later loss is not called damage. */
  public void forceForced(Device device) throws IOException {
    if (unforced) {
      unforced = false;
      force(device, FORCED_AT, BYTES - FORCED_AT);
    }
  }

  /** Forces the whole file; not while the log runs. */
  public void force() throws IOException {
    force(Device.REAL, 0, BYTES);
  }

  /** Stores a number; an error fails the log, as on any mapped page that cannot be written. */
  private static void store(Stored number, long value) {
    try {
      number.store(value);
    } catch (RiverException e) {
      throw new InternalError(e.getMessage(), e);
    }
  }

  private void force(Device device, int from, int length) throws IOException {
    file.force(mapped -> device.forceMarks(mapped, from, length));
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
      file.close();
    }
  }
}
