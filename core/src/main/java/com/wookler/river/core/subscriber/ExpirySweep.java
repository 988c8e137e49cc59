package com.wookler.river.core.subscriber;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.removed.SequenceRanges;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.message.Terms;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Completes expired messages of a subscriber on which no consumer polls; in steps of housekeeping.
 *
 * <p>It looks only where nothing was taken since the last step: a poll skips expired messages by
 * itself. It remembers when the first message that has not expired will expire, and does not read
 * that again; and until when nothing can be due, as long as the subscriber does not change.
 */
final class ExpirySweep<M> {
  private final SubscriberState<M> state;

  // confined to housekeeping
  private long takenBefore = -1;
  private long first = -1;
  private long firstExpiresAt;
  private @Nullable Object firstBy; // what stored times meant then
  private @Nullable SequenceRanges firstWithout; // what was removed then
  private boolean quiet; // nothing is due before quietUntil, unless there is a publish or a change
  private long quietUntil; // microseconds since 1970
  private boolean quietWhatComes; // what is published comes after a message that waits

  ExpirySweep(SubscriberState<M> state) {
    this.state = state;
  }

  /** Returns whether the last run left nothing to do; to be called after it. */
  boolean isQuiet() {
    return quiet;
  }

  /** Returns until when nothing can be due, in microseconds since 1970. */
  long quietUntil() {
    return quietUntil;
  }

  /** Returns whether the wall clock, which may have been set meanwhile, shows that this is over. */
  boolean isQuietOver() {
    return quietUntil != Long.MAX_VALUE
        && (state.time.epochMicros() >= quietUntil
            || !Objects.equals(firstBy, state.times.version()));
  }

  /** Returns whether what is published meanwhile does not change that. */
  boolean isQuietWhatComes() {
    return quietWhatComes;
  }

  private void quiet(long until, boolean whatComes) {
    quiet = true;
    quietUntil = until;
    quietWhatComes = whatComes;
  }

  void run() {
    boolean wake;
    quiet = false;
    state.lock.lock();
    try {
      if (state.isClosed()) {
        return;
      }
      boolean wasStuck = state.fetcher.expiry().isStuck();
      state.fetcher.expiry().tryAgain();
      boolean idle = state.fetcher.taken() == takenBefore;
      takenBefore = state.fetcher.taken();
      boolean full = !state.ledger.canDeliver();
      long before = state.fetcher.expiry().expired();
      if (idle) {
        sweep();
      }
      boolean moved = state.fetcher.expiry().expired() != before;
      if (moved) {
        state.force.changed();
        if (full) {
          state.line.listen(true);
        }
      }
      wake = (wasStuck || moved) && state.fetcher.hasMore();
    } catch (RiverException e) { // damage, or a block that cannot be read now
      return; // a poll reports it
    } finally {
      state.lock.unlock();
    }
    state.announce(wake);
  }

  @SuppressWarnings({
    "GuardedBy",
    "ReferenceEquality"
  }) // under the lock; what is removed is a new set
  private void sweep() {
    Expiry expiry = state.fetcher.expiry();
    state.collectTimedOut();
    for (int i = 0; i < expiry.sweep() && !expiry.isStuck(); i++) {
      long ready = state.ledger.nextReady();
      long next = ready >= 0 ? ready : state.ledger.position();
      if (next == first
          && firstWithout == state.fetcher.removed().all()
          && expiry.nowMicros() < firstExpiresAt
          && Objects.equals(firstBy, expiry.clockVersion())) {
        quiet(firstExpiresAt, true);
        return;
      }
      if (ready < 0 && !state.ledger.canDeliver()) {
        quiet(Long.MAX_VALUE, true); // until something is completed
        return;
      }
      SequenceRanges removals = state.fetcher.removed().all(); // before it is looked for in them
      StoredMessage message = state.fetcher.finder().find(next);
      if (message == null) {
        if (!state.fetcher.hasMore()) {
          quiet(Long.MAX_VALUE, false);
        }
        return;
      }
      if (Terms.isHidden(message.terms())) {
        complete(ready, next);
        state.force.changed();
        continue;
      }
      if (state.fetcher.removed().drop(message, ready >= 0)) {
        state.force.changed();
        continue;
      }
      if (!expiry.isOver(message.publishedMicros(), message.terms())) {
        first = next;
        firstWithout = removals;
        firstBy = expiry.clockVersion();
        firstExpiresAt = expiry.at(message.publishedMicros(), message.terms());
        return;
      }
      boolean another = DeadLetter.isForAnother(message.headers(), state.config.name());
      if (!another && !expiry.keep(message)) {
        return;
      }
      complete(ready, next);
    }
  }

  @SuppressWarnings("GuardedBy") // called under the lock
  private void complete(long ready, long next) {
    if (ready >= 0) {
      state.ledger.complete(ready);
    } else {
      state.ledger.skip(next + 1);
    }
  }
}
