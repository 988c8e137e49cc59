package com.wookler.river.core;

import com.wookler.river.core.delay.Delays;
import com.wookler.river.core.forward.Origins;
import com.wookler.river.core.log.BlockLog;
import org.jspecify.annotations.Nullable;

/**
 * What is forced in the background, in its order: where expired messages went, the log, then what
 * the subscribers have finished of it, then the ids of its messages, which of them came from other
 * queues, and those that are delayed. So nothing on the device tells of a message that is not.
 */
final class Forces {
  private final BlockLog log;
  private final SubscriberRegistry<?> subscribers;
  private final @Nullable Deduplicator deduplicator;
  private final Delays delays;
  private final ForwardTarget forwardTarget;

  Forces(
      BlockLog log,
      SubscriberRegistry<?> subscribers,
      @Nullable Deduplicator deduplicator,
      Delays delays,
      ForwardTarget forwardTarget) {
    this.delays = delays;
    this.forwardTarget = forwardTarget;
    this.log = log;
    this.subscribers = subscribers;
    this.deduplicator = deduplicator;
  }

  /** Whether anything is not on the device. */
  boolean isUnforced() {
    return subscribers.isUnforced()
        || delays.isDirty()
        || forwardTarget.isDue()
        || (deduplicator != null && deduplicator.isDirty());
  }

  /** Forces all; on the flusher. */
  void force() {
    long end = log.nextSequence();
    Origins origins = forwardTarget.capture();
    delays.capture();
    subscribers.force();
    if (log.failure().isPresent()) {
      return;
    }
    if (origins != null) {
      forwardTarget.write(origins);
    }
    if (deduplicator != null) {
      deduplicator.flush(end);
    }
    delays.flush();
  }
}
