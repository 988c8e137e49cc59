package com.wookler.river.core.log;

import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.core.message.StoredMessage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads a log in the order of sequences, without lost and damaged messages. Not thread-safe. */
public final class SequentialReader implements AutoCloseable {
  /** Damaged messages in a row after which the rest of their block counts as damaged too. */
  private static final int MAX_DAMAGED = 1_000;

  private final BlockLog log;
  private final LogReader reader;
  private final Damaged damaged;
  private long next;
  private int damagedInARow;

  @FunctionalInterface
  public interface Damaged {
    /**
     * Reports a damaged message, the {@code first} in a row or not; returns the sequence at which
     * the log continues, the same one if that is unknown.
     */
    long passOver(long sequence, boolean first);
  }

  public SequentialReader(BlockLog log, Damaged damaged) {
    this.log = log;
    this.reader = log.reader();
    this.damaged = damaged;
  }

  /** Returns the message of a sequence; null if it is lost, damaged, or not published yet. */
  public @Nullable StoredMessage read(long sequence) {
    next = Math.max(log.gaps().endOf(sequence), log.firstSequence());
    if (next > sequence) {
      return null;
    }
    reader.moveTo(sequence);
    try {
      StoredMessage message = reader.next();
      next = message == null ? sequence : sequence + 1;
      damagedInARow = 0;
      return message;
    } catch (DamagedException e) {
      next = afterDamage(sequence);
      return null;
    }
  }

  private long afterDamage(long sequence) {
    long end = damaged.passOver(sequence, damagedInARow == 0);
    if (end > sequence) {
      return end;
    }
    return ++damagedInARow % MAX_DAMAGED == 0 ? reader.behindBlock(sequence) : sequence + 1;
  }

  /** Returns the sequence at which to continue after {@link #read}. */
  public long next() {
    return next;
  }

  /** Passes the messages from a sequence up to the end of the log to a sink. */
  public void readAll(long from, Consumer<StoredMessage> sink) {
    for (long at = from; at < log.nextSequence(); at = next) {
      StoredMessage message = read(at);
      if (message != null) {
        sink.accept(message);
      }
    }
  }

  public long location() {
    return reader.location();
  }

  /** Closes a block that leaves the log. */
  public void leave(int block) {
    reader.leave(block);
  }

  @Override
  public void close() {
    reader.close();
  }
}
