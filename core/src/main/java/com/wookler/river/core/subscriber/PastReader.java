package com.wookler.river.core.subscriber;

import com.wookler.river.core.backup.Backup;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.Damage;
import com.wookler.river.core.log.DamageReporter;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.StoredMessage;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Reads messages that have left the log out of the backups, a frame at a time, in front of the
 * log's reader: a subscriber that was moved there reads on from one into the other.
 *
 * <p>What it has still to read is not expired, and no block leaves the log while a subscriber's
 * position is before it; so nothing is left out where the backups end and the log begins. Guarded
 * by the subscriber's lock.
 */
final class PastReader {
  // the location of a message that is in a backup; no location of the log
  static final long LOCATION = -2;

  private final Backup backup;
  private final BlockLog log;
  private final @Nullable DamageReporter salvage;
  private List<StoredMessage> frame = List.of();
  private int at;

  /** Creates a reader; {@code salvage} reports what is lost, null to stop there. */
  PastReader(Backup backup, BlockLog log, @Nullable DamageReporter salvage) {
    this.backup = backup;
    this.log = log;
    this.salvage = salvage;
  }

  /**
   * Returns the message of this sequence, or the next if it was lost before its block was archived;
   * null if no backup has it. Throws a {@code DamagedMessageException} if its backup is damaged.
   */
  @Nullable StoredMessage next(long sequence) {
    if (at >= frame.size() || frame.get(at).sequence() != sequence) {
      frame = backup.read(sequence, Integer.MAX_VALUE);
      at = 0;
    }
    if (!frame.isEmpty()) {
      return frame.get(at).sequence() > sequence
          ? frame.get(at) // which is asked for next
          : frame.get(at++);
    }
    Damage hole = backup.damageOf(sequence, log.firstSequence()).orElse(null);
    if (hole != null) {
      throw new DamagedMessageException(
          "backup %s, block %d, sequence %d, byte 0: damaged: it is missing, or its seal is of no use"
              .formatted(hole.file(), hole.block(), sequence));
    }
    return null;
  }

  /**
   * Reports and records what damage at a sequence has taken. Returns the next sequence; this one if
   * it is there after all, or is not to be skipped.
   */
  long passOver(long sequence) {
    if (salvage == null) {
      return sequence;
    }
    Damage lost = backup.damageOf(sequence, log.firstSequence()).orElse(null);
    return lost != null && salvage.lostInBackup(lost) ? lost.end() : sequence;
  }

  /** Returns the end of the lost messages from a sequence on, without reporting them. */
  long endOfLost(long sequence) {
    return backup.endOfLost(sequence, log.firstSequence());
  }

  /** Returns the first sequence after this one that a backup holds. */
  OptionalLong sequenceAfter(long sequence) {
    return backup.firstSequenceFrom(sequence);
  }

  /** Reads one message, for a further delivery. */
  StoredMessage again(long sequence) {
    return backup
        .read(sequence)
        .orElseThrow(
            () ->
                new DamagedMessageException(
                    "damaged: no backup holds sequence " + sequence + " any more"));
  }

  /** Drops the frame that it has in memory. */
  void forget() {
    frame = List.of();
    at = 0;
  }
}
