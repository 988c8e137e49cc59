package com.wookler.river.core.subscriber;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.ack.Ledger;
import com.wookler.river.common.GroupCommit;
import com.wookler.river.core.message.Durability;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Brings a subscriber's ledger to the device: in the background, and at {@link Durability#DISK} for
 * acknowledgements that wait for it, one force for all that wait.
 *
 * <p>What precedes it is forced by {@link ForceOrder}. After a force that an acknowledgement waited
 * for has failed, no later one is trusted: the system reports an error once, and the next force
 * would succeed.
 */
final class LedgerForce implements GroupCommit.Target {
  private final String subscriber;
  private final Ledger ledger;
  private final ForceOrder order;
  private final SubscriberErrors errors;
  private final boolean awaited;
  private final GroupCommit commits;
  // held until the result is recorded: a later force that succeeds must know of a failed one
  private final Object forcing = new Object();
  private volatile boolean unforced = true; // whether the ledger has changed; set under the lock
  // whether housekeeping has to look; set by any thread
  private volatile boolean touched = true;
  private volatile long changes; // a count of acknowledgements; written under the lock
  // messages below it may be acknowledged; written under the lock
  private volatile long deliveredEnd;
  private volatile long forcedEnd; // how many acknowledgements are on the device
  private volatile @Nullable Throwable failure; // set once

  LedgerForce(SubscriberConfig config, Ledger ledger, ForceOrder order, SubscriberErrors errors) {
    this.subscriber = config.name();
    this.ledger = ledger;
    this.order = order;
    this.errors = errors;
    this.awaited = config.ackDurability() == Durability.DISK;
    this.commits = new GroupCommit(this, order.committer());
  }

  /** To be called after the change: a force that runs before it must leave the flag set. */
  void changed() {
    VarHandle.fullFence(); // the change must not be seen after the flag was found set
    if (!unforced) { // a store that other cores must see, only where it says something new
      unforced = true;
    }
    if (!touched) {
      touched = true;
    }
  }

  /** Has housekeeping look, because something became due that is not in the ledger. */
  void touch() {
    VarHandle.fullFence();
    if (!touched) {
      touched = true;
    }
  }

  /** Returns whether {@link #changed} or {@link #touch} was called since {@link #untouch}. */
  boolean isTouched() {
    return touched;
  }

  /** To be called before housekeeping looks: what changes after that is looked at the next time. */
  void untouch() {
    touched = false;
  }

  /** To be called under the lock after acknowledgements; returns what to {@link #await} outside. */
  long acknowledged() {
    if (!awaited) {
      return 0;
    }
    if (ledger.unjournaled() > 0) {
      return Long.MAX_VALUE;
    }
    long next = changes + 1;
    deliveredEnd = ledger.position();
    changes = next;
    return next;
  }

  /** Returns when acknowledgements are as durable as configured; throws if they may not be. */
  void await(long acknowledgement) {
    if (acknowledgement == Long.MAX_VALUE) {
      throw errors.unwritten();
    }
    if (acknowledgement > forcedEnd) {
      commits.await(acknowledgement);
    }
  }

  /** Returns whether there is something to {@link #forceAll}. */
  boolean isUnforced() {
    return unforced;
  }

  /** Forces the ledger; called by {@link ForceOrder}, after what precedes it. */
  void forceAll() {
    unforced = false; // before, so that what happens meanwhile is forced the next time
    long end = changes;
    synchronized (forcing) {
      try {
        ledger.force();
      } catch (Throwable e) {
        unforced = true; // or an idle subscriber's acknowledgements would never be forced
        failed(e);
        throw e;
      }
      forced(end);
    }
  }

  /** Forces the acknowledgements that wait, after what precedes them. */
  @Override
  public void force() {
    long end = changes;
    try {
      order.beforeLedger(subscriber, deliveredEnd);
    } catch (Throwable e) { // the pool would swallow it
      synchronized (forcing) {
        failed(e);
      }
      return;
    }
    synchronized (forcing) {
      try {
        ledger.forceCompleted();
      } catch (Throwable e) {
        failed(e);
        return;
      }
      forced(end);
    }
  }

  @GuardedBy("forcing")
  private void failed(Throwable cause) {
    if (awaited && failure == null) {
      failure = cause;
    }
  }

  @GuardedBy("forcing")
  private void forced(long end) {
    if (failure == null) {
      forcedEnd = Math.max(forcedEnd, end);
    }
  }

  @Override
  public long forcedEnd() {
    return forcedEnd;
  }

  @Override
  public RuntimeException notForced() {
    return errors.unforced(failure);
  }

  /** Ends it after the last force: callers that still wait get an answer. */
  void end() {
    commits.end();
  }
}
