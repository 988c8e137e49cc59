package com.wookler.river.core;

import com.wookler.river.core.delay.Delays;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.transfer.Origins;
import com.wookler.river.core.transfer.TransferTarget;
import org.jspecify.annotations.Nullable;

/**
 * What is forced in the background, in its order: the log, then for each subscriber where its
 * expired messages went and what it has completed, then those messages of the log that are delayed,
 * which of them came from other queues, and their ids. So nothing on the device tells of a message
 * that is not: where the log cannot be forced just now, the last three wait for the next time.
 *
 * <p>But for what subscribers have completed once the log has failed: that is forced all the same,
 * here and by acknowledgements that wait, so that what was done does not come again. It may tell of
 * messages that the device never took. The next opening goes on above all that a subscriber was
 * given or has completed, and what lies between is a gap: no other message is taken for one of
 * these, and the other subscribers pass over them. Ids are not forced then: they would refuse a
 * message that is nowhere, sent again.
 */
final class Forces {
  private final BlockLog log;
  private final SubscriberRegistry<?> subscribers;
  private final @Nullable Deduplicator deduplicator;
  private final Delays delays;
  private final TransferTarget transferTarget;

  Forces(
      BlockLog log,
      SubscriberRegistry<?> subscribers,
      @Nullable Deduplicator deduplicator,
      Delays delays,
      TransferTarget transferTarget) {
    this.delays = delays;
    this.transferTarget = transferTarget;
    this.log = log;
    this.subscribers = subscribers;
    this.deduplicator = deduplicator;
  }

  /** Returns whether anything is not on the device. */
  boolean isUnforced() {
    return subscribers.isUnforced()
        || delays.isDirty()
        || transferTarget.isDue()
        || (deduplicator != null && deduplicator.isDirty());
  }

  /**
   * Forces all; on the flusher.
   *
   * @return whether the log was forced, and so what is written behind it; else that waits for the
   *     next time, or for ever where the log has failed
   */
  boolean force() {
    long end = log.nextSequence();
    Origins origins = transferTarget.capture();
    delays.capture();
    boolean forced = false;
    try {
      subscribers.force();
    } finally { // a ledger that cannot be forced holds up nothing of what follows from the log
      forced = log.failure().isEmpty() && log.forcedEnd() >= end;
      if (forced) {
        forceBehindLog(end, origins);
      } else if (log.failure().isEmpty()) {
        postpone(origins);
      }
    }
    return forced;
  }

  private void postpone(@Nullable Origins origins) {
    if (origins != null) {
      transferTarget.want();
    }
    delays.postpone();
  }

  private void forceBehindLog(long end, @Nullable Origins origins) {
    delays.flush();
    try {
      if (origins != null) {
        transferTarget.write(origins);
      }
    } finally {
      if (deduplicator != null) {
        deduplicator.flush(end);
      }
    }
  }
}
