package com.wookler.river.core.subscriber;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.message.Terms;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Completes expired messages of a subscriber on which nobody polls; in steps of housekeeping.
 *
 * <p>It looks only where nothing was taken since the last step: a poll passes over expired messages
 * by itself. It remembers when the message that it met first expires, and does not read that again;
 * and until when nothing can be due, as long as nobody touches the subscriber.
 */
final class ExpirySweep<M> {
  private final SubscriberState<M> state;

  // confined to housekeeping
  private long takenBefore = -1;
  private long met = -1;
  private long metExpiresAt;
  private @Nullable Object metBy; // what stored times meant then
  private boolean quiet; // nothing is due before quietUntil, unless it is published or touched
  private long quietUntil; // microseconds since 1970
  private boolean quietWhatComes; // whatever is published, it stands behind something else

  ExpirySweep(SubscriberState<M> state) {
    this.state = state;
  }

  /** Returns whether the last run left nothing to do; to be asked behind it. */
  boolean isQuiet() {
    return quiet;
  }

  /** Until when, in microseconds since 1970. */
  long quietUntil() {
    return quietUntil;
  }

  /** Returns whether the wall clock, which may have been set meanwhile, shows that this is over. */
  boolean isQuietOver() {
    return quietUntil != Long.MAX_VALUE
        && (state.time.epochMicros() >= quietUntil
            || !Objects.equals(metBy, state.times.version()));
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
      return; // a poll tells
    } finally {
      state.lock.unlock();
    }
    state.announce(wake);
  }

  @SuppressWarnings("GuardedBy") // called under the lock
  private void sweep() {
    Expiry expiry = state.fetcher.expiry();
    state.expire();
    for (int i = 0; i < expiry.sweep() && !expiry.isStuck(); i++) {
      long ready = state.ledger.nextReady();
      long next = ready >= 0 ? ready : state.ledger.position();
      if (next == met
          && expiry.nowMicros() < metExpiresAt
          && Objects.equals(metBy, expiry.clockVersion())) {
        quiet(metExpiresAt, true);
        return;
      }
      if (ready < 0 && !state.ledger.canDeliver()) {
        quiet(Long.MAX_VALUE, true); // until something is completed
        return;
      }
      StoredMessage message = state.fetcher.finder().find(next);
      if (message == null) {
        if (!state.fetcher.hasMore()) {
          quiet(Long.MAX_VALUE, false);
        }
        return;
      }
      if (Terms.isDelayed(message.terms())) { // it comes behind, when it is due
        state.ledger.skip(next + 1);
        state.force.changed();
        continue;
      }
      if (!expiry.isOver(message.publishedMicros(), message.terms())) {
        met = next;
        metBy = expiry.clockVersion();
        metExpiresAt = expiry.at(message.publishedMicros(), message.terms());
        return;
      }
      boolean another = DeadLetter.isForAnother(message.headers(), state.config.name());
      if (!another && !expiry.keep(message)) {
        return;
      }
      if (ready >= 0) {
        state.ledger.complete(ready);
      } else {
        state.ledger.skip(next + 1);
      }
    }
  }
}
