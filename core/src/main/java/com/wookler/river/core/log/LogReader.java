package com.wookler.river.core.log;

import com.wookler.river.common.Interrupts;
import com.wookler.river.common.PageFaults;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.log.chronicle.BlockStore;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.DocumentReader;
import com.wookler.river.core.message.EntryBuffer;
import com.wookler.river.core.message.StoredMessage;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Reads the log in order from any sequence, and single messages again by their address. It verifies
 * each message's checksum and sequence.
 *
 * <p>What is not valid between the position and the log's end is a {@link DamagedMessageException},
 * at this call and at each later one, never "nothing new". A block that cannot be opened or mapped
 * now, for want of descriptors or memory, is a {@link RiverException}; the next call tries again.
 *
 * <p>Not thread-safe: its owner guards it by a lock. The owner must {@link #leave} a block before
 * the log deletes it, and close the reader before the log, with no call under way: a read of a
 * mapping that has ended crashes the process.
 */
public final class LogReader implements AutoCloseable {
  private static final int SAMPLE_MASK = 63;

  private final BlockLog log;
  private final LogSettings settings;
  private final LogCounters counters;
  private final DocumentReader document;
  private final BlockCursor cursor;
  private final DamagedBlockReader salvage;
  private long position;

  LogReader(BlockLog log, BlockStore store, LogSettings settings, LogCounters counters) {
    this.log = log;
    this.settings = settings;
    this.counters = counters;
    this.document = new DocumentReader(settings.identity());
    this.cursor = new BlockCursor(store, document);
    this.salvage = new DamagedBlockReader(log, settings, cursor, document);
    this.position = log.firstSequence();
  }

  public long position() {
    return position;
  }

  /** Moves to a sequence; nothing is read yet, and damage is left to {@link #next} to report. */
  public void moveTo(long sequence) {
    if (sequence == position) {
      return;
    }
    if (sequence > position && document.holds(sequence)) {
      try {
        document.skipTo(sequence);
      } catch (DamagedException e) {
        cursor.close();
      }
    } else {
      cursor.forgetPlace();
    }
    position = sequence;
  }

  public @Nullable StoredMessage next() {
    return next(StoredMessage::new);
  }

  /**
   * Returns what {@code maker} makes of the message at the position, and moves on by one; null if
   * it is not published yet. After an exception the position stays.
   */
  public <T> @Nullable T next(StoredMessage.Maker<T> maker) {
    long at = position;
    if (at >= log.nextSequence()) {
      return null;
    }
    try {
      return next((from, to) -> from.next(to), maker);
    } catch (DamagedMessageException e) {
      if (!(e.getCause() instanceof InternalError) || !isWhole(at)) {
        throw e;
      }
      moveTo(at); // the page that was not there is not the message's
      return next((from, to) -> from.next(to), maker);
    }
  }

  /** Returns whether the file has the message, whose block is scanned; false if it cannot be. */
  private boolean isWhole(long sequence) {
    try {
      return Interrupts.held(() -> log.damageAt(sequence)).isEmpty();
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Adds the message at the position to a buffer, as {@link DocumentReader#next(EntryBuffer)} does,
   * and moves on by one if it was added. After an exception the position stays.
   */
  public EntryBuffer.Added next(EntryBuffer to) {
    return position < log.nextSequence()
        ? next((from, buffer) -> from.next(buffer), to)
        : EntryBuffer.Added.NONE;
  }

  private <A, T> T next(BiFunction<DocumentReader, A, T> read, A to) {
    try {
      return nextOrDamage(read, to);
    } catch (InternalError e) {
      throw damaged(position, e);
    }
  }

  /** Reads the next message; any line may throw an InternalError, the catch clause too. */
  private <A, T> T nextOrDamage(BiFunction<DocumentReader, A, T> read, A to) {
    boolean sampled = (position & SAMPLE_MASK) == 0;
    long started = sampled ? settings.time().nanoTime() : 0;
    try {
      // an error within next(), such as a full heap, leaves the document past the position
      if (!document.hasNext() || document.nextSequence() != position) {
        load();
      }
      T result = read.apply(document, to);
      if (document.nextSequence() != position) { // a buffer may have no space for it
        position++;
        if (sampled) {
          counters.readTime().add(settings.time().nanoTime() - started, 1);
        }
      }
      return result;
    } catch (DamagedException e) {
      throw damaged(position, e);
    } catch (IOException e) {
      throw unreadable(position, e);
    }
  }

  /**
   * Passes over the messages from the position on that are delayed or erased. Their checksums are
   * verified, and nothing is made of them. It stops before what is damaged, which {@link #next}
   * reports.
   *
   * @param most messages
   * @return the position
   */
  public long passHidden(int most) {
    long last = position + most;
    boolean passes = true;
    try {
      while (passes && position < last && position < log.nextSequence()) {
        passes = next((from, to) -> from.passHidden(), this);
      }
    } catch (RiverException e) { // next() meets it again
      return position;
    }
    return position;
  }

  /** Returns whether the message at the position was published together with the one before it. */
  public boolean isWithinBatch() {
    return document.hasNext()
        && document.nextSequence() == position
        && document.firstSequence() < position;
  }

  /** Returns the address of the message that {@link #next} returned last, for {@link #read}. */
  public long location() {
    return cursor.location();
  }

  /**
   * Reads one message again by its {@link #location}; cheap in the order of addresses. The position
   * of {@link #next} is lost: use a reader of its own for this.
   */
  public StoredMessage read(long sequence, long location) {
    try {
      return readOrDamage(sequence, location);
    } catch (InternalError e) {
      throw damaged(sequence, e);
    }
  }

  private StoredMessage readOrDamage(long sequence, long location) {
    try {
      if (!cursor.isAt(location) || !document.holds(sequence)) {
        Interrupts.defer(() -> open(sequence, location));
      }
      if (!document.holds(sequence)) {
        throw new DamagedMessageException(
            "damaged: the document there starts with sequence " + document.firstSequence());
      }
      if (sequence < document.nextSequence()) {
        document.rewind();
      }
      document.skipTo(sequence);
      return document.next();
    } catch (DamagedException e) {
      throw damaged(sequence, e);
    } catch (IOException e) {
      throw unreadable(sequence, e);
    }
  }

  private void open(long sequence, long location) throws IOException {
    if (isReplaced(sequence) || !opens(sequence, location)) { // addresses are those of another file
      position = sequence;
      cursor.forgetPlace();
      search();
    }
  }

  private boolean isReplaced(long sequence) {
    Block block = log.blockOf(sequence);
    return block != null && block.generation() > 0;
  }

  /** Opens the document at an address; returns false if the file was replaced meanwhile. */
  private boolean opens(long sequence, long location) throws IOException {
    try {
      cursor.open(location);
      return cursor.generation() == 0;
    } catch (DamagedException e) {
      cursor.close();
      if (isReplaced(sequence)) {
        return false;
      }
      if (!salvage.open(sequence)) {
        throw e;
      }
      return true;
    }
  }

  private void load() throws IOException {
    if (!cursor.isPlaced() || !loadHere(false)) {
      // at the end of its block, or among its damage: look the position up
      Interrupts.defer(this::search);
    }
  }

  private void search() throws IOException {
    Block block = log.blockOf(position);
    while (true) {
      try {
        searchIn(block);
        return;
      } catch (DamagedException e) {
        Block now = log.blockOf(position);
        if (block == null || now == null || now.generation() == block.generation()) {
          throw e;
        }
        block = now; // its file was replaced meanwhile
        cursor.close();
      }
    }
  }

  private void searchIn(@Nullable Block block) throws IOException {
    if (block == null) {
      throw new DamagedMessageException("damaged: no block holds it");
    }
    if (!log.isFailed() && !salvage.isDue(block, position)) {
      search(block);
    } else if (!salvage.open(position)) {
      throw new DamagedMessageException("damaged: its block has no valid message of that sequence");
    }
  }

  /** Maps a block, and returns it as it is mapped: its file may have been replaced meanwhile. */
  private Block map(Block block, long sequence) throws IOException {
    Block now = block;
    cursor.place(now.number(), 0);
    while (cursor.generation() != now.generation()) {
      cursor.close();
      Block next = log.blockOf(sequence);
      if (next == null) {
        throw new DamagedMessageException("damaged: no block holds it");
      }
      now = next;
      cursor.place(now.number(), 0);
    }
    return now;
  }

  private void search(Block block) throws IOException {
    try {
      if (position == block.firstSequence()) {
        cursor.place(block.number(), 0); // its own headers lead to it
      } else {
        Block mapped = map(block, position);
        new BlockSearch(cursor, document).sequence(mapped, position);
      }
      if (!loadHere(true)) {
        throw new DamagedMessageException(
            "damaged: nothing is there, though the log continues to sequence "
                + (log.nextSequence() - 1));
      }
    } catch (DamagedException e) {
      cursor.close();
      if (!salvage.open(position)) {
        throw e;
      }
    } catch (IOException e) { // it cannot be opened now, or its index leads out of it
      cursor.close();
      if (!salvage.open(position)) { // whose own errors are those of the file
        throw new DamagedMessageException(
            "damaged: its block has no valid message of that sequence", e);
      }
    }
  }

  /** Damage counts only where the position was looked up: its block may start after the damage. */
  private boolean loadHere(boolean sought) {
    try {
      if (!cursor.openNext()) {
        return false;
      }
      if (document.firstSequence() != position) {
        skipToPosition();
      }
      return true;
    } catch (DamagedException e) {
      if (sought) {
        throw e;
      }
      return false;
    }
  }

  private void skipToPosition() {
    if (!document.holds(position)) {
      throw new DamagedMessageException(
          "damaged: a document with sequences from "
              + document.firstSequence()
              + " is at its address");
    }
    document.skipTo(position);
  }

  /** Returns the sequence after the block that holds this one; the next one where no block does. */
  public long behindBlock(long sequence) {
    Block block = log.blockOf(sequence);
    return block == null ? sequence + 1 : block.endSequence();
  }

  /**
   * Returns the first message published at or after this time, of a damaged block the first that
   * can be read; empty if there is none, or only in a backup.
   */
  public OptionalLong sequenceAt(long micros) {
    Block block = log.publishedAt(micros);
    while (block != null) {
      OptionalLong found = find(block, micros);
      if (found.isPresent()) {
        return found;
      }
      block = log.blockOf(log.gaps().endOf(block.endSequence()));
    }
    return OptionalLong.empty();
  }

  /** Returns the first sequence of the block published at or after this time, if it can be read. */
  OptionalLong find(Block block, long micros) {
    try {
      return Interrupts.held(() -> findHere(block, micros));
    } catch (IOException e) {
      throw unreadable(block.firstSequence(), e);
    } finally {
      cursor.forgetPlace();
    }
  }

  private OptionalLong findHere(Block block, long micros) throws IOException {
    if (log.isFailed()) { // then the store opens nothing
      return log.scans().make(block, settings, log.nextSequence()).publishedAt(micros);
    }
    try {
      new BlockSearch(cursor, document).time(map(block, block.firstSequence()), micros);
      return OptionalLong.of(document.firstSequence());
    } catch (IOException | DamagedException | InternalError e) { // as in a search
      PageFaults.settle();
      cursor.close();
      return log.scans().make(block, settings, log.nextSequence()).publishedAt(micros);
    }
  }

  /** Gives back what it has mapped, until the next read; the position stays. */
  public void rest() {
    cursor.close();
  }

  /** Ends the mappings of this block and those before it, so that their files can be deleted. */
  public void leave(int block) {
    if (cursor.block() <= block) {
      cursor.close();
    }
  }

  private DamagedMessageException damaged(long sequence, Throwable e) {
    PageFaults.settle();
    cursor.close();
    String what =
        e instanceof InternalError ? "damaged: its bytes cannot be read: " + e : e.getMessage();
    return new DamagedMessageException(where(sequence) + ": " + what + place(sequence), e);
  }

  /** Returns where the last valid part before the message ends. */
  private String place(long sequence) {
    try {
      Optional<Damage> damage = Interrupts.held(() -> log.damageAt(sequence));
      return damage.map(found -> ", at byte " + found.from()).orElse("");
    } catch (IOException e) {
      return ""; // it cannot be found out now
    }
  }

  private RiverException unreadable(long sequence, IOException e) {
    cursor.close();
    return new RiverException(
        where(sequence) + ": cannot be read now, the next call tries again: " + e, e);
  }

  private String where(long sequence) {
    Block block = log.blockOf(sequence);
    String in = block == null ? "no block" : "block " + block.number() + " (" + block.file() + ")";
    return "queue " + settings.queue() + ", " + in + ", sequence " + sequence;
  }

  @Override
  public void close() {
    cursor.close();
  }
}
