package com.wookler.river.core.log.files;

import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.DocumentFormat;
import com.wookler.river.core.message.DocumentReader;
import java.util.UUID;

/**
 * Verifies one block: every message's checksum, that sequences follow each other, and at the end
 * the seal. Keeps counts only. Used once, by one thread.
 */
public final class ContentCheck implements BlockWalk.Visitor {
  /** The value of an unknown sequence or offset. */
  public static final long UNKNOWN = -1;

  private static final String PREFIX = "damaged: ";

  private final DocumentReader reader;
  private final int block;
  private final Damaged damaged;
  private long expected;
  private boolean lost; // whether messages are missing right before the next one
  private long damages;
  private long messages;
  private long known; // messages that are known to be lost
  private long documents;
  private long firstMicros;
  private long lastMicros;
  private long digest;

  @FunctionalInterface
  public interface Damaged {
    /** Reports one damage in a sentence; sequence or offset may be {@link #UNKNOWN}. */
    void at(long sequence, long offset, String what);
  }

  /** For a block of this queue from this sequence on; {@link #UNKNOWN} if only the block has it. */
  public ContentCheck(UUID queue, int block, long first, Damaged damaged) {
    this.reader = new DocumentReader(queue);
    this.block = block;
    this.expected = first;
    this.lost = first == UNKNOWN;
    this.damaged = damaged;
  }

  /** A frame of the block begins, which says that this sequence comes next. */
  public void begin(long sequence, long offset) {
    if (sequence != expected && !lost) {
      damage(expected, offset, "a frame starts with sequence " + sequence);
    }
    expected = sequence;
    lost = false;
  }

  @Override
  public void document(long offset, byte[] document, int length) {
    try {
      reader.open(document, length, block);
      long first = reader.firstSequence();
      if (lost ? first < expected : first != expected) {
        throw new DamagedMessageException("sequence " + first + " is at its address");
      }
      digest = DocumentFormat.digest(digest, reader.verify());
      if (documents == 0) {
        firstMicros = reader.micros();
      }
      lastMicros = reader.micros();
      documents++;
      if (reader.isLost()) {
        known += reader.count();
      } else {
        messages += reader.count();
      }
      expected = first + reader.count();
      lost = false;
    } catch (DamagedException e) {
      damage(reader.hasNext() ? reader.nextSequence() : expected, offset, text(e));
      countWhole(document, length);
      lost = true;
    }
  }

  /** Counts the valid messages of a document of which others are damaged. */
  private void countWhole(byte[] document, int length) {
    try {
      reader.open(document, length, block);
    } catch (DamagedException e) {
      return; // without its header it says nothing of them
    }
    long first = reader.firstSequence();
    if (reader.isLost() || first < expected) {
      return;
    }
    while (reader.hasNext()) {
      try {
        reader.next();
        messages++;
      } catch (DamagedException e) {
        // is reported, or one before it in its document is
      }
    }
    expected = first + reader.count();
  }

  /** What was shown breaks off here; documents may be missing before the next one. */
  public void breaks(long offset, String what) {
    damage(expected, offset, what);
    lost = true;
  }

  /** Compares all that was shown with the seal; says nothing new of a block with damage. */
  public void compareWith(Seal seal) {
    if (damages > 0) {
      return;
    }
    compare("messages", messages + known, seal.messages());
    compare("of them as lost", known, seal.lost());
    compare("documents", documents, seal.documents());
    compare("as its first publish time", firstMicros, seal.firstMicros());
    compare("as its last publish time", lastMicros, seal.lastMicros());
    compare("as its digest", digest, seal.digest());
  }

  private void compare(String what, long found, long sealed) {
    if (found != sealed) {
      damage(UNKNOWN, UNKNOWN, "the seal says " + sealed + " " + what + ", the block " + found);
    }
  }

  private void damage(long sequence, long offset, String what) {
    damages++;
    damaged.at(sequence, offset, what);
  }

  /** Returns the sequence that should come next; {@link #UNKNOWN} if none was read. */
  public long expected() {
    return expected;
  }

  public long messages() {
    return messages;
  }

  /**
   * Returns the seal of the block that was shown, which has as many messages as another seal says.
   *
   * @param bytes of it that are in use
   * @throws DamagedMessageException it has not
   */
  Seal seal(Seal of, long bytes) {
    if (messages + known != of.messages() || known != of.lost() || damages > 0) {
      throw new DamagedMessageException(
          "damaged: block " + block + " has " + messages + " messages of " + of.messages());
    }
    return new Seal(
        of.queue(),
        block,
        of.firstSequence(),
        of.messages(),
        documents,
        bytes,
        firstMicros,
        lastMicros,
        digest,
        of.lost());
  }

  public long damages() {
    return damages;
  }

  /** Returns the publish time of the first valid message, microseconds since 1970. */
  public long firstMicros() {
    return firstMicros;
  }

  /** Returns the publish time of the last valid message, microseconds since 1970. */
  public long lastMicros() {
    return lastMicros;
  }

  /** Returns what an exception says, without the word that each of them begins with. */
  public static String text(DamagedException e) {
    String text = String.valueOf(e.getMessage());
    return text.startsWith(PREFIX) ? text.substring(PREFIX.length()) : text;
  }
}
