package com.wookler.river.core.subscriber;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.RateLimitedLog;
import com.wookler.river.common.RetryBackoff;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.core.message.StoredMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes dead letters of messages that were rejected or whose delivery limit is reached.
 *
 * <p><b>The invariant.</b> A message is completed only when its letter is on the device, and has
 * one letter however often the process ends in between. The steps:
 *
 * <ol>
 *   <li>the ledger takes the message out of delivery;
 *   <li>the letter is added: by the holder's thread, which so knows it safe from a kill when its
 *       acknowledgement returns, or in the background for messages that are exhausted;
 *   <li>in the background the letters are forced, then their messages are completed;
 *   <li>once the ledger was forced after that, the letters count as settled.
 * </ol>
 *
 * <p>After a crash between 2 and 4 the letters that are not settled name the messages to complete.
 * The rejected alternative, to look for repeats before each letter is added, has to read all of
 * them.
 *
 * <p>A letter that cannot be added in the background is tried again, later and later.
 */
final class DeadLettering<M> {
  private static final Logger LOG = LoggerFactory.getLogger(DeadLettering.class);
  private static final int STEP = 64;
  private static final long DROP_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final SubscriberState<M> state;
  private final DeadLetterStore<M> store;
  private final AtomicBoolean asked = new AtomicBoolean();
  // held while a letter is added, so that letters are added in the order of their places
  private final ReentrantLock adding = new ReentrantLock();
  // letters of which the messages are not completed yet; added to under that lock
  private final Queue<PendingLetter> added = new ConcurrentLinkedQueue<>();
  // letters whose messages are not completed yet; less only under the subscriber's lock
  private final AtomicInteger unfinished = new AtomicInteger();
  private final RateLimitedLog saidUndropped; // confined to the background task
  private volatile long completedEnd; // written by the background task
  private final RetryBackoff retry; // confined to the background task, but for isTime
  private long dropAt; // confined to housekeeping
  private long settledEnd; // confined to the flusher, after the constructor

  /** A letter of a message that is not completed yet. */
  private record PendingLetter(DeadLetter letter, long tag, long place) {
    long source() {
      return letter.message().sequence();
    }
  }

  DeadLettering(SubscriberState<M> state, DeadLetterStore<M> store) {
    this.state = state;
    this.store = store;
    this.retry = new RetryBackoff(state.time);
    this.dropAt = state.time.nanoTime();
    this.saidUndropped = new RateLimitedLog(state.time);
    if (state.config.ackRequired()) {
      recover();
    }
  }

  private boolean isLimited() {
    SubscriberConfig config = state.config;
    return config.deadLetterLimit() > 0
        || !config.deadLetterAge().isZero()
        || config.deadLetterQueue() != null;
  }

  /** Completes what has its letter from an earlier run, if the log still has that message. */
  private void recover() {
    List<DeadLetter.Source> sources = store.unsettled();
    state.lock.lock();
    try {
      for (DeadLetter.Source source : sources) {
        if (isMessageOf(source)) {
          state.ledger.complete(source.place());
        }
      }
      if (!sources.isEmpty()) {
        state.force.changed();
      }
    } finally {
      state.lock.unlock();
    }
    completedEnd = sources.isEmpty() ? 0 : store.end();
  }

  /** Returns whether the log has the unfinished message that a letter is about. */
  @GuardedBy("state.lock")
  private boolean isMessageOf(DeadLetter.Source source) {
    if (source.place() < state.ledger.lowWatermark()) {
      return false;
    }
    try {
      StoredMessage message = state.fetcher.finder().find(source.place());
      return message != null && message.originalMicros() == source.publishedMicros();
    } catch (DamagedException e) {
      return false; // comes again, and is reported where it is delivered
    }
  }

  /** Returns how many letters there are whose messages are not completed and counted yet. */
  int unfinished() {
    return unfinished.get();
  }

  DeadLetterStore<M> store() {
    return store;
  }

  /** Keeps the letter of a message taken out of delivery; if it throws, that is in flight again. */
  void startDeadLetter(Acknowledgeable target, DeadLetter letter) {
    try {
      add(letter, target.tag());
    } catch (Throwable e) {
      restore(target);
      throw e;
    }
    wake();
  }

  /** Puts a message that was taken out of delivery in flight again. */
  void restore(Acknowledgeable target) {
    state.lock.lock();
    try {
      target.acknowledgement(Acknowledgement.NONE);
    } finally {
      state.lock.unlock();
    }
    restore(target.place(), target.tag());
  }

  private void add(DeadLetter last, long tag) {
    long place = last.message().sequence();
    DeadLetter letter = last.after(state.failures.allBefore(place, last.attempts()));
    adding.lock();
    try {
      added.add(new PendingLetter(letter, tag, store.add(letter)));
      unfinished.incrementAndGet();
    } finally {
      adding.unlock();
    }
    state.force.touch(); // it waits to be completed
  }

  private void restore(long sequence, long tag) {
    state.lock.lock();
    try {
      if (!state.isClosed()) {
        state.ledger.cancelDeadLetter(sequence, tag, state.clock.nowMillis());
        state.force.touch();
      }
    } finally {
      state.lock.unlock();
    }
    state.announce(true); // another owner may have been waiting for it
  }

  void wake() {
    if (asked.compareAndSet(false, true) && !later(this::run)) {
      asked.set(false);
    }
  }

  private boolean later(Runnable task) {
    try {
      store.later(task);
      return true;
    } catch (RuntimeException e) { // closing; the next opening continues
      LOG.debug("No dead letters any more: {}", e.toString());
      return false;
    }
  }

  /** Has letters moved or dropped that could not be before, or that have become too old. */
  void dropLettersOverLimits() {
    if (isLimited() && state.time.nanoTime() - dropAt >= 0) {
      dropAt = state.time.nanoTime() + DROP_NANOS;
      later(this::drop);
    }
  }

  /** Moves or drops letters; those that cannot be now are tried again later. */
  private void drop() {
    try {
      String queue = state.config.deadLetterQueue();
      if (queue != null) {
        store.transfer(queue);
      }
      long dropped = store.drop(state.config.deadLetterLimit(), state.config.deadLetterAge());
      if (dropped > 0) {
        countDropped(dropped);
      }
    } catch (RuntimeException | Error e) {
      if (state.isOpen() && saidUndropped.mayLog()) {
        LOG.warn(
            "Queue {}, subscriber {}: the oldest dead letters cannot be dropped, trying again: {}",
            state.errors.queue(),
            state.config.name(),
            e.toString());
      }
    }
  }

  private void countDropped(long letters) {
    state.lock.lock();
    try {
      if (!state.isClosed()) {
        state.acknowledgements.dropped(letters);
        state.counters.deadDropped().add(letters);
      }
    } finally {
      state.lock.unlock();
    }
  }

  /** Does what is due by time, for a queue without polls; returns whether nothing is left. */
  boolean runMaintenance() {
    if (state.config.maxDeliveries() == 0 && added.isEmpty()) {
      return true;
    }
    boolean exhausted;
    state.lock.lock();
    try {
      if (state.isClosed()) {
        return true;
      }
      if (state.ledger.nextDueMillis() <= state.clock.nowMillis()) {
        state.collectTimedOut();
      }
      exhausted = state.ledger.nextExhausted() >= 0;
    } finally {
      state.lock.unlock();
    }
    boolean left = exhausted || !added.isEmpty();
    if (left && retry.isTime()) {
      wake();
    }
    return !left;
  }

  private void run() {
    asked.set(false); // before, so that what comes meanwhile asks again
    try {
      boolean more;
      try {
        more = deadLetterExhausted();
      } finally {
        complete(); // what others have added, too
      }
      retry.succeeded();
      if (isLimited()) {
        drop();
      }
      if (more) {
        wake();
      }
    } catch (RuntimeException | Error e) {
      if (!state.isOpen()) {
        return; // the next opening continues
      }
      state.force.touch();
      LOG.warn(
          "Queue {}, subscriber {}: a message stays unfinished, because its dead letter cannot"
              + " be kept; next try in {} s: {}",
          state.errors.queue(),
          state.config.name(),
          retry.failed(),
          e.toString());
    }
  }

  private boolean deadLetterExhausted() {
    int completeDeadLetter = 0;
    while (completeDeadLetter < STEP) {
      PendingLetter letter = takeExhausted();
      if (letter == null) {
        return false;
      }
      try {
        add(letter.letter(), letter.tag());
      } catch (Throwable e) {
        restore(letter.source(), letter.tag());
        throw e;
      }
      completeDeadLetter++;
    }
    return true;
  }

  private @Nullable PendingLetter takeExhausted() {
    List<PendingLetter> taken = new ArrayList<>(1);
    state.changeIfOpen(() -> takeExhausted(taken));
    return taken.isEmpty() ? null : taken.get(0);
  }

  /** Returns whether a message has left delivery, which is added to those taken if it has one. */
  @SuppressWarnings("GuardedBy") // called under the lock
  private boolean takeExhausted(List<PendingLetter> taken) {
    long sequence = state.ledger.nextExhausted();
    if (sequence < 0) {
      return false;
    }
    long tag = state.ledger.startDeadLetter(sequence);
    int attempts = state.ledger.attempts(sequence);
    try {
      StoredMessage message = state.fetcher.finder().find(sequence);
      if (message == null) {
        throw new IllegalStateException("sequence " + sequence + " is not in the log");
      }
      if (state.fetcher.removed().has(message)) {
        return state.ledger.completeDeadLetter(sequence, tag);
      }
      taken.add(
          new PendingLetter(new DeadLetter(message, attempts, "not acknowledged", null), tag, 0));
      return true;
    } catch (DamagedException e) {
      if (state.fetcher.finder().passOver(sequence) > sequence) {
        state.ledger.completeDeadLetter(sequence, tag); // there is nothing to write a letter about
        return true;
      }
      state.ledger.cancelDeadLetter(sequence, tag, state.clock.nowMillis());
      throw e;
    } catch (Throwable e) {
      state.ledger.cancelDeadLetter(sequence, tag, state.clock.nowMillis());
      throw e;
    }
  }

  private void complete() {
    List<PendingLetter> letters = List.copyOf(added);
    if (letters.isEmpty()) {
      return;
    }
    store.force();
    if (!state.changeIfOpen(() -> complete(letters))) {
      return; // the next opening finds them
    }
    letters.forEach(letter -> added.remove()); // the first ones: only this task removes any
    completedEnd = letters.get(letters.size() - 1).place() + 1;
    letters.forEach(letter -> store.report(letter.letter()));
  }

  @SuppressWarnings("GuardedBy") // called under the lock
  private boolean complete(List<PendingLetter> letters) {
    for (PendingLetter letter : letters) {
      state.ledger.completeDeadLetter(letter.source(), letter.tag());
    }
    state.acknowledgements.died(letters.size());
    unfinished.addAndGet(-letters.size());
    state.counters.dead().add(letters.size());
    return true;
  }

  /** Returns up to where messages are completed; to be called before the ledger is forced. */
  long completedEnd() {
    return completedEnd;
  }

  /** Settles letters, after the ledger was forced since {@link #completedEnd} returned this. */
  void forced(long end) {
    if (end <= settledEnd) {
      return;
    }
    try {
      store.settle(end);
      settledEnd = end;
    } catch (RuntimeException e) { // acknowledgements are forced all the same
      LOG.warn("Queue {}: cannot record which dead letters are settled", state.errors.queue(), e);
    }
  }

  /** Settles all letters before the subscriber moves, so that they complete nothing after that. */
  void settleAll() {
    if (state.config.ackRequired()) {
      store.settle(store.end());
    }
  }
}
