package com.wookler.river.core.subscriber;

import com.wookler.river.core.backup.Backup;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.StoredMessage;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Reads messages that have left the log out of the backups, a frame at a time, in front of the
 * log's reader: a subscriber that was moved there reads on from one into the other.
 *
 * <p>What it has still to read is not expired, and no block leaves the log as long as a subscriber
 * stands before it; so where the backups end and the log begins nothing is left out. Guarded by the
 * subscriber's lock.
 */
final class PastReader {
  /** Where a message was found that stands in a backup; no location of the log. */
  static final long LOCATION = -2;

  private final Backup backup;
  private List<StoredMessage> frame = List.of();
  private int at;

  PastReader(Backup backup) {
    this.backup = backup;
  }

  /**
   * The message of this sequence; the next one if it was lost before its block was archived.
   *
   * @return null if no backup holds it
   * @throws DamagedMessageException its backup is damaged
   */
  @Nullable StoredMessage next(long sequence) {
    if (at >= frame.size() || frame.get(at).sequence() != sequence) {
      frame = backup.read(sequence, Integer.MAX_VALUE);
      at = 0;
    }
    if (frame.isEmpty() || frame.get(at).sequence() > sequence) {
      return frame.isEmpty() ? null : frame.get(at); // which is asked for next
    }
    return frame.get(at++);
  }

  /** The first sequence behind this one that a backup holds. */
  OptionalLong behind(long sequence) {
    return backup.firstSequenceFrom(sequence);
  }

  /** One message again, for a further delivery. */
  StoredMessage again(long sequence) {
    return backup
        .read(sequence)
        .orElseThrow(
            () ->
                new DamagedMessageException(
                    "damaged: no backup holds sequence " + sequence + " any more"));
  }

  /** Gives its memory back. */
  void forget() {
    frame = List.of();
    at = 0;
  }
}
