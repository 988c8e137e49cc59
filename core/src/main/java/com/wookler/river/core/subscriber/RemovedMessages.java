package com.wookler.river.core.subscriber;

import com.wookler.river.ack.EntryState;
import com.wookler.river.ack.Ledger;
import com.wookler.river.common.removed.SequenceRanges;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.message.Terms;
import org.jspecify.annotations.Nullable;

/**
 * Completes the messages that were removed from the queue, in place of their delivery to one
 * subscriber, and counts them. Guarded by the subscriber's lock.
 */
final class RemovedMessages {
  private final BlockLog log;
  private final Ledger ledger;
  private long count;

  RemovedMessages(BlockLog log, Ledger ledger) {
    this.log = log;
    this.ledger = ledger;
  }

  /** Returns what was removed until now: another object, once more is. */
  SequenceRanges all() {
    return log.removed();
  }

  /** Returns whether a message was removed or erased, or the delayed one of which it is a copy. */
  boolean has(long place, @Nullable Terms terms) {
    SequenceRanges all = log.removed();
    if (terms == null) {
      return all.contains(place);
    }
    return all.contains(place)
        || Terms.isErased(terms)
        || all.contains(Terms.originalSequence(terms, place));
  }

  boolean has(StoredMessage message) {
    return has(message.sequence(), message.terms());
  }

  /** Counts one that was completed elsewhere. */
  void completed() {
    count++;
  }

  /** Completes what was removed from the position on; returns whether that is anything. */
  boolean passNext() {
    SequenceRanges all = log.removed();
    if (all.isEmpty()) {
      return false;
    }
    long position = ledger.position();
    long end = all.endOf(position);
    if (end == position) {
      return false;
    }
    count += ledger.skip(end) - position;
    return true;
  }

  /** Completes a message that is to be delivered again or, else, is the next, if it was removed. */
  boolean drop(StoredMessage message, boolean again) {
    if (!has(message)) {
      return false;
    }
    if (again) {
      ledger.complete(message.sequence());
    } else {
      ledger.skip(message.sequence() + 1);
    }
    count++;
    return true;
  }

  /**
   * Completes those of the removed messages that are to be delivered, but not the ones that wait
   * for their keys, which are when that is their turn; returns whether a consumer has one, or has
   * had one of those that were pending.
   */
  boolean withdraw(SequenceRanges sequences, SequenceRanges pending) {
    boolean had = pending.anyMatch(ledger::isCompleted);
    boolean more = ledger.canDeliver();
    while (more) {
      more = passNext() && ledger.canDeliver();
    }
    SequenceRanges read = sequences.within(ledger.lowWatermark(), ledger.position());
    for (int i = 0; i < read.ranges(); i++) {
      for (long sequence = read.start(i); sequence < read.end(i); sequence++) {
        EntryState before = ledger.withdraw(sequence);
        count += before == EntryState.READY || before == EntryState.DELAYED ? 1 : 0;
        had |= before == EntryState.IN_FLIGHT || before == EntryState.DEAD_LETTERING;
      }
    }
    return had;
  }

  /** Returns how many messages were completed because they were removed. */
  long count() {
    return count;
  }
}
