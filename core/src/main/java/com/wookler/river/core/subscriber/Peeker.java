package com.wookler.river.core.subscriber;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.ack.Ledger;
import com.wookler.river.ack.Limits;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.LogReader;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.message.Terms;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the messages that a subscriber would be given, changing nothing. Thread-safe: holds the
 * queue's removal lock while it reads, so that no block goes and no backup expires, and the
 * subscriber's lock for a moment a message. Filter and converter are asked without either.
 */
final class Peeker<M> {
  private final SubscriberState<M> state;
  private final SubscriberContext<M> context;
  private final BlockLog log;
  private final @Nullable FilterStage<M> filter;

  private record Seen(StoredMessage message, int attempts) {}

  /** Read messages: from the log, and from the backups, if there are any. */
  private record Readers(LogReader inLog, @Nullable PastReader past) {}

  Peeker(SubscriberState<M> state, SubscriberContext<M> context, @Nullable FilterStage<M> filter) {
    this.state = state;
    this.filter = filter;
    this.context = context;
    this.log = context.log();
  }

  List<Delivery<M>> peek(int max, long maxBytes) {
    List<Delivery<M>> found = new ArrayList<>();
    Set<Long> keys = new HashSet<>();
    long from = 0;
    long bytes = 0;
    while (found.size() < max && bytes < maxBytes) {
      List<Seen> some = read(from, max - found.size(), maxBytes - bytes, keys);
      if (some.isEmpty()) {
        break;
      }
      for (Seen seen : some) {
        Delivery<M> delivery =
            new ReadOnlyDelivery<>(
                context.queue(), seen.message(), context.converter(), seen.attempts());
        from = seen.message().sequence() + 1;
        if (filter == null || filter.wouldPass(delivery)) {
          found.add(delivery);
          bytes += seen.message().data().length;
        }
      }
    }
    return found;
  }

  /** Returns messages that wait for a delivery, from a sequence on, and may be completed now. */
  List<StoredMessage> waiting(long from, int max, long maxBytes) {
    long end = state.lowWatermark() + Limits.MAX_WINDOW;
    return from >= end
        ? List.of()
        : read(from, max, maxBytes, new HashSet<>()).stream()
            .map(Seen::message)
            .filter(each -> each.sequence() < end)
            .toList();
  }

  /** Reads on until there are {@code max} messages, or {@code maxBytes} of data. */
  private List<Seen> read(long start, int max, long maxBytes, Set<Long> keys) {
    List<Seen> found = new ArrayList<>();
    long bytes = 0;
    context.removal().lock();
    try {
      ensureOpen(); // before the log is read, which the queue closes after its subscribers
      try (LogReader inLog = log.reader()) {
        Readers readers = new Readers(inLog, past());
        long from = start;
        while (found.size() < max && bytes < maxBytes) {
          Seen seen = next(readers, from, keys);
          if (seen == null) {
            break;
          }
          found.add(seen);
          bytes += seen.message().data().length;
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

  private @Nullable PastReader past() {
    return context.backup() == null ? null : new PastReader(context.backup(), log, null);
  }

  private @Nullable Seen next(Readers readers, long start, Set<Long> keys) {
    long from = start;
    while (true) {
      long sequence;
      long end;
      int attempts;
      boolean postponed;
      Expiry expiry;
      state.lock.lock();
      try {
        state.ensureOpen();
        sequence = available(from);
        expiry = state.fetcher.expiry();
        end =
            !state.fetcher.isByKey()
                ? log.nextSequence()
                : Math.min(log.nextSequence(), windowEnd());
        attempts = sequence < end ? state.ledger.attempts(sequence) : 0;
        postponed = state.ledger.isPostponed(sequence, state.clock.nowMillis());
      } finally {
        state.lock.unlock();
      }
      if (sequence >= end) {
        return null;
      }
      StoredMessage message = read(readers, sequence);
      if (message != null
          && message.sequence() == sequence
          && !Terms.isHidden(message.terms())
          && !DeadLetter.isForAnother(message.headers(), state.config.name())
          && !isRemoved(message)
          && !expiry.isOver(message.publishedMicros(), message.terms())
          && hasItsTurn(message, keys) // which one that is postponed has, too
          && !postponed) {
        return new Seen(message, attempts);
      }
      from =
          message == null ? after(readers, sequence) : Math.max(message.sequence(), sequence + 1);
    }
  }

  @SuppressWarnings("GuardedBy") // asks the log only
  private boolean isRemoved(StoredMessage message) {
    return state.fetcher.removed().has(message);
  }

  /** Returns whether it is the first of its key. */
  private boolean hasItsTurn(StoredMessage message, Set<Long> seen) {
    long key = keyOf(message);
    if (key == Ledger.NO_KEY) {
      return true;
    }
    state.lock.lock();
    try {
      state.ensureOpen();
      boolean isAfter = // one that was read and is available holds its key
          message.sequence() >= state.ledger.position() && state.ledger.isLocked(key);
      return seen.add(key) && !isAfter;
    } finally {
      state.lock.unlock();
    }
  }

  @SuppressWarnings("GuardedBy") // of what never changes
  private long keyOf(StoredMessage message) {
    return state.fetcher.keyOf(message.key());
  }

  /** Returns the end of the window: messages from there on wait, whatever their keys. */
  @GuardedBy("state.lock")
  private long windowEnd() {
    return state.ledger.lowWatermark() + state.config.limits().window();
  }

  @GuardedBy("state.lock")
  private long available(long from) {
    long sequence = state.ledger.available(from);
    return context.backup() == null ? Math.max(sequence, log.firstSequence()) : sequence;
  }

  /** Returns the message; null if it is lost, in a backup perhaps the first after what is lost. */
  private @Nullable StoredMessage read(Readers readers, long sequence) {
    try {
      PastReader past = readers.past();
      if (past != null && sequence < log.firstSequence()) {
        return past.next(sequence);
      }
      readers.inLog().moveTo(sequence);
      return readers.inLog().next();
    } catch (DamagedException e) {
      if (endOfLost(readers, sequence) > sequence) {
        return null;
      }
      throw e;
    }
  }

  /** Returns the next sequence that is not lost; in a backup that is on no record of the log's. */
  private long endOfLost(Readers readers, long sequence) {
    long end = log.gaps().endOf(sequence);
    PastReader past = readers.past();
    return end > sequence
            || past == null
            || sequence >= log.firstSequence()
            || context.salvage() == null // then a delivery stops there too
        ? end
        : past.endOfLost(sequence);
  }

  /** Returns where to continue after a message that is lost. */
  private long after(Readers readers, long sequence) {
    long end = endOfLost(readers, sequence);
    long first = log.firstSequence();
    PastReader past = readers.past();
    return end > sequence || past == null || sequence >= first
        ? end
        : Math.min(
            first, past.sequenceAfter(sequence + 1).orElse(first)); // nothing says what it was
  }
}
