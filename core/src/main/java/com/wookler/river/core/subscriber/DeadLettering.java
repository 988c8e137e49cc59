package com.wookler.river.core.subscriber;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.RateLimitedLog;
import com.wookler.river.common.RetryBackoff;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.StoredMessage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes dead letters of messages that are given up.
 *
 * <p><b>The invariant.</b> A message is completed only when its letter is on the device, and has
 * one letter however often the process ends in between. The steps:
 *
 * <ol>
 *   <li>the ledger takes the message out of delivery;
 *   <li>the letter is added: by the holder's thread, which so knows it safe from a kill when its
 *       acknowledgement returns, or in the background for messages whose deliveries are used up;
 *   <li>in the background the letters are forced, then their messages are completed;
 *   <li>once the ledger was forced behind that, the letters count as settled.
 * </ol>
 *
 * <p>After a crash between 2 and 4 the letters that are not settled tell which messages to
 * complete. The rejected alternative, to look for repeats before each letter is added, has to read
 * all of them.
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

  /** Held while a letter is added, so that letters stand here in the order of their places. */
  private final ReentrantLock adding = new ReentrantLock();

  @GuardedBy("adding")
  private final Deque<PendingLetter> added = new ArrayDeque<>();

  /** Letters whose messages are not completed yet; less only under the subscriber's lock. */
  private final AtomicInteger unfinished = new AtomicInteger();

  private final RateLimitedLog saidUndropped; // confined to the background task
  private volatile long completedEnd; // written by the background task
  private final RetryBackoff retry; // confined to the background task, but for isTime
  private long dropAt; // confined to housekeeping
  private long settledEnd; // confined to the flusher, after the constructor

  /** A message that is given up. */
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
    return config.deadLetterLimit() > 0 || !config.deadLetterAge().isZero();
  }

  /**
   * Completes what has its letter from an earlier run. A letter about something else than what the
   * log has under that sequence, because the log was cut behind it, completes nothing.
   */
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

  /** Returns what is completed already, and perhaps gone from the log, is not looked for. */
  @GuardedBy("state.lock")
  private boolean isMessageOf(DeadLetter.Source source) {
    if (source.place() < state.ledger.lowWatermark()) {
      return false;
    }
    try {
      StoredMessage message = state.fetcher.finder().find(source.place());
      return message != null && message.originalMicros() == source.publishedMicros();
    } catch (DamagedMessageException e) {
      return false; // comes again, and is met where it is delivered
    }
  }

  /** Letters that are there, and whose messages are not completed and counted yet. */
  int unfinished() {
    return unfinished.get();
  }

  DeadLetterStore<M> store() {
    return store;
  }

  /**
   * Keeps the letter of a message that the ledger has taken out of delivery, and has it completed.
   *
   * @throws RuntimeException it cannot be kept; the message is in flight again
   */
  void startDeadLetter(Acknowledgeable target, DeadLetter letter) {
    try {
      add(letter, target.tag());
    } catch (Throwable e) {
      state.lock.lock();
      try {
        target.acknowledgement(Acknowledgement.NONE);
      } finally {
        state.lock.unlock();
      }
      restore(target.place(), target.tag());
      throw e;
    }
    wake();
  }

  private void add(DeadLetter letter, long tag) {
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
        state.ledger.cancelDeadLetter(sequence, tag, state.nowMillis());
        state.force.touch();
      }
    } finally {
      state.lock.unlock();
    }
  }

  /** Has the background task run soon. */
  void wake() {
    if (asked.compareAndSet(false, true) && !later(this::run)) {
      asked.set(false);
    }
  }

  private boolean later(Runnable task) {
    try {
      store.later(task);
      return true;
    } catch (RuntimeException e) { // closing; the next opening goes on
      LOG.debug("No dead letters any more: {}", e.toString());
      return false;
    }
  }

  /** Has letters dropped that have become too old, or that were too many at the opening. */
  void dropLettersOverLimits() {
    if (isLimited() && state.time.nanoTime() - dropAt >= 0) {
      dropAt = state.time.nanoTime() + DROP_NANOS;
      later(this::drop);
    }
  }

  /** What cannot be dropped now is tried again by {@link #dropLettersOverLimits}. */
  private void drop() {
    try {
      long dropped = store.drop(state.config.deadLetterLimit(), state.config.deadLetterAge());
      if (dropped > 0) {
        countDropped(dropped);
      }
    } catch (RuntimeException e) {
      if (!isClosed() && saidUndropped.mayLog()) {
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

  /**
   * Returns what is due by time, and by itself: for a queue on which nobody polls.
   *
   * @return whether nothing is left
   */
  boolean runMaintenance() {
    if (state.config.maxDeliveries() == 0 && isEmpty()) {
      return true;
    }
    boolean exhausted;
    state.lock.lock();
    try {
      if (state.isClosed()) {
        return true;
      }
      if (state.ledger.nextDueMillis() <= state.nowMillis()) {
        state.expire();
      }
      exhausted = state.ledger.nextExhausted() >= 0;
    } finally {
      state.lock.unlock();
    }
    boolean left = exhausted || !isEmpty();
    if (left && retry.isTime()) {
      wake();
    }
    return !left;
  }

  private boolean isEmpty() {
    adding.lock();
    try {
      return added.isEmpty();
    } finally {
      adding.unlock();
    }
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
    } catch (RuntimeException e) {
      if (isClosed()) {
        return; // the next opening goes on
      }
      state.force.touch();
      LOG.warn(
          "Queue {}, subscriber {}: a message to give up stays unfinished, its dead letter cannot"
              + " be kept; next try in {} s: {}",
          state.errors.queue(),
          state.config.name(),
          retry.failed(),
          e.toString());
    }
  }

  private boolean isClosed() {
    state.lock.lock();
    try {
      return state.isClosed();
    } finally {
      state.lock.unlock();
    }
  }

  /** Returns whether there may be more. */
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
      taken.add(
          new PendingLetter(new DeadLetter(message, attempts, "not acknowledged", null), tag, 0));
      return true;
    } catch (DamagedMessageException e) {
      if (state.fetcher.finder().passOver(sequence) > sequence) {
        state.ledger.completeDeadLetter(sequence, tag); // there is nothing to write a letter about
        return true;
      }
      state.ledger.cancelDeadLetter(sequence, tag, state.nowMillis());
      throw e;
    } catch (Throwable e) {
      state.ledger.cancelDeadLetter(sequence, tag, state.nowMillis());
      throw e;
    }
  }

  /** Forces the letters that were added, then completes their messages. */
  private void complete() {
    List<PendingLetter> letters = letters();
    if (letters.isEmpty()) {
      return;
    }
    store.force();
    if (!state.changeIfOpen(() -> complete(letters))) {
      return; // the next opening finds them
    }
    forget(letters.size());
    completedEnd = letters.get(letters.size() - 1).place() + 1;
    letters.forEach(letter -> store.tell(letter.letter()));
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

  private List<PendingLetter> letters() {
    adding.lock();
    try {
      return new ArrayList<>(added);
    } finally {
      adding.unlock();
    }
  }

  private void forget(int letters) {
    adding.lock();
    try {
      for (int i = 0; i < letters; i++) {
        added.remove();
      }
    } finally {
      adding.unlock();
    }
  }

  /** Up to where messages are completed; to be asked before the ledger is forced. */
  long completedEnd() {
    return completedEnd;
  }

  /** Says that the ledger was forced since {@link #completedEnd} said this; on the flusher. */
  void forced(long end) {
    if (end <= settledEnd) {
      return;
    }
    try {
      store.settle(end);
      settledEnd = end;
    } catch (RuntimeException e) { // acknowledgements are forced all the same
      LOG.warn("Queue {}: cannot note which dead letters are settled", state.errors.queue(), e);
    }
  }

  /**
   * Before the subscriber moves: a letter of a message before that is to complete nothing after.
   */
  void settleAll() {
    if (state.config.ackRequired()) {
      store.settle(store.end());
    }
  }
}
