package com.wookler.river.core.subscriber;

import com.wookler.river.ack.EntryState;
import com.wookler.river.ack.Ledger;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.removed.SequenceRanges;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.message.StoredMessage;

/** How much a subscriber has not completed, and since when. Guarded by the subscriber's lock. */
final class Backlog {
  private final BlockLog log;
  private final Ledger ledger;
  private final MessageFinder finder;
  private long oldest = -1; // whose publish time is known
  private long oldestMicros;

  Backlog(BlockLog log, Ledger ledger, MessageFinder finder) {
    this.log = log;
    this.ledger = ledger;
    this.finder = finder;
  }

  /** Returns how many messages are not completed, without those that are lost or removed. */
  long lag() {
    long end = log.nextSequence();
    long position = ledger.position();
    long from = Math.min(end, Math.max(position, ledger.recovery().completedEnd()));
    return end
        - log.gaps().messagesFrom(from)
        - log.removed().count(from, end)
        - missing(position, from)
        - ledger.lowWatermark()
        - ledger.count(EntryState.COMPLETED);
  }

  /** Returns how many are lost or removed, but for those that an earlier run has completed. */
  private long missing(long from, long end) {
    SequenceRanges removed = log.removed().within(from, end);
    long missing = removed.countMatching(sequence -> !ledger.isCompleted(sequence));
    if (log.gaps().messagesFrom(from) > log.gaps().messagesFrom(end)) {
      for (long at = from; at < end; at++) {
        boolean isLost = log.gaps().endOf(at) > at && !removed.contains(at);
        missing += isLost && !ledger.isCompleted(at) ? 1 : 0;
      }
    }
    return missing;
  }

  /** Returns when the oldest unfinished message was published; {@link Long#MAX_VALUE}: unknown. */
  long oldestMicros() {
    long lowWatermark = log.gaps().endOf(ledger.lowWatermark());
    if (lowWatermark >= log.nextSequence()) {
      return Long.MAX_VALUE;
    }
    if (lowWatermark != oldest) { // statistics may be read more often than the low watermark moves
      try {
        oldestMicros = readMicros(lowWatermark);
      } catch (RiverException e) { // it may be readable soon
        return Long.MAX_VALUE;
      }
      oldest = lowWatermark;
    }
    return oldestMicros;
  }

  private long readMicros(long sequence) {
    long location = sequence < ledger.position() ? ledger.address(sequence) : 0;
    try {
      StoredMessage message =
          location == 0 ? finder.find(sequence) : finder.find(sequence, location); // much cheaper
      return message == null ? Long.MAX_VALUE : message.publishedMicros();
    } catch (DamagedException e) {
      return Long.MAX_VALUE; // the poll that reads it reports it
    }
  }
}
