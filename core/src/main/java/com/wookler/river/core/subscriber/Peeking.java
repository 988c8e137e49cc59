package com.wookler.river.core.subscriber;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.LogReader;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.message.Terms;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Looks at what a subscriber would be given, changing nothing. Thread-safe: holds the queue's
 * removal lock while it reads, so that no block goes, and the subscriber's lock for a moment a
 * message. Filter and converter are asked without either.
 */
final class Peeking<M> {
  private final SubscriberState<M> state;
  private final SubscriberContext<M> context;
  private final BlockLog log;

  /** A message, how often it was delivered, and where to look on. */
  private record Seen(StoredMessage message, int attempts) {}

  Peeking(SubscriberState<M> state, SubscriberContext<M> context) {
    this.state = state;
    this.context = context;
    this.log = context.log();
  }

  List<Delivery<M>> peek(int max) {
    List<Delivery<M>> found = new ArrayList<>();
    long from = 0;
    while (found.size() < max) {
      List<Seen> some = read(from, max - found.size());
      if (some.isEmpty()) {
        break;
      }
      for (Seen seen : some) {
        Delivery<M> delivery = new LookedUp<>(seen.message(), context.converter(), seen.attempts());
        from = seen.message().sequence() + 1;
        if (state.filter == null || state.filter.wouldPass(delivery)) {
          found.add(delivery);
        }
      }
    }
    return found;
  }

  private List<Seen> read(long start, int max) {
    List<Seen> found = new ArrayList<>();
    context.removal().lock();
    try {
      ensureOpen(); // before the log is read, which the queue closes after its subscribers
      try (LogReader reader = log.reader()) {
        long from = start;
        while (found.size() < max) {
          Seen seen = next(reader, from);
          if (seen == null) {
            break;
          }
          found.add(seen);
          from = seen.message().sequence() + 1;
        }
      }
    } finally {
      context.removal().unlock();
    }
    return found;
  }

  private void ensureOpen() {
    state.lock.lock();
    try {
      state.ensureOpen();
    } finally {
      state.lock.unlock();
    }
  }

  private @Nullable Seen next(LogReader reader, long start) {
    long from = start;
    while (true) {
      long sequence;
      int attempts;
      Expiry expiry;
      state.lock.lock();
      try {
        state.ensureOpen();
        sequence = available(from);
        expiry = state.feed.expiry();
        attempts = sequence < log.nextSequence() ? state.ledger.attempts(sequence) : 0;
      } finally {
        state.lock.unlock();
      }
      if (sequence >= log.nextSequence()) {
        return null;
      }
      StoredMessage message = read(reader, sequence);
      if (message != null
          && !Terms.isDelayed(message.terms())
          && !DeadLetter.isForAnother(message.headers(), state.config.name())
          && !expiry.isOver(message.publishedMicros(), message.terms())) {
        return new Seen(message, attempts);
      }
      from = message == null ? log.gaps().endOf(sequence) : sequence + 1;
    }
  }

  @GuardedBy("state.lock")
  private long available(long from) {
    return Math.max(state.ledger.available(from), log.firstSequence());
  }

  /** The message; null if it is lost. */
  private @Nullable StoredMessage read(LogReader reader, long sequence) {
    reader.moveTo(sequence);
    try {
      return reader.next();
    } catch (DamagedMessageException e) {
      if (log.gaps().endOf(sequence) > sequence) {
        return null;
      }
      throw e;
    }
  }
}
