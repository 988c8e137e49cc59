package com.wookler.river.forward;

import com.wookler.river.common.RateLimitedLog;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.utils.Amount;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.LogReader;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.message.Terms;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.core.transfer.Endpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads what is to be forwarded: what the log has forced, but for what is delayed, has expired, or
 * is not for the target. Used under the lock of its forward; the number is read by any thread.
 */
final class ForwardReader {
  private static final Logger LOG = LoggerFactory.getLogger(ForwardReader.class);
  private static final int MOST_MESSAGES = 256;
  private static final int MOST_BYTES = 256 << 10;
  private static final long MOST_NANOS = TimeUnit.MILLISECONDS.toNanos(100); // of a slow filter

  private final Forward.Source source;
  private final Endpoint from;
  private final BlockLog log;
  private final ForwardRule rule;
  private final SubscriberConfig subscriber; // for which it transfers expired messages
  private final Consumer<String> waits; // is given why it waits
  private final LogReader reader;
  private final RateLimitedLog failureLog;
  private final AtomicLong expired = new AtomicLong();
  private long keptBelow; // expired messages, though the rest of their batch may not be given

  /**
   * Messages that were read, as the target is to get them: the {@code first} were published
   * together, below {@code firstEnd}. There may be none up to the end.
   */
  record Batch(List<StoredMessage> messages, int first, long firstEnd, long end) {
    static final Batch NONE = new Batch(List.of(), 0, 0, 0);

    Batch part() {
      return new Batch(messages.subList(0, first), first, firstEnd, firstEnd);
    }
  }

  ForwardReader(
      Forward.Source source,
      ForwardRule rule,
      SubscriberConfig subscriber,
      Consumer<String> waits) {
    this.source = source;
    this.from = source.queue();
    this.log = from.log();
    this.rule = rule;
    this.subscriber = subscriber;
    this.waits = waits;
    this.reader = log.reader();
    this.failureLog = new RateLimitedLog(from.time());
  }

  long expired() {
    return expired.get();
  }

  void leave(int block) {
    reader.leave(block);
  }

  void close() {
    reader.close();
  }

  /** Reads a batch from a sequence on; it ends at or before that if there is nothing to give. */
  Batch read(long next) {
    Batch batch = Batch.NONE;
    List<StoredMessage> messages = new ArrayList<>();
    int bytes = 0;
    int first = 0;
    long firstEnd = 0;
    long end = log.forcedEnd();
    long began = from.time().nanoTime();
    reader.moveTo(next);
    try {
      StoredMessage message = readBelow(end);
      while (message != null && isToBeRead(message, messages)) {
        bytes += message.data().length;
        if (!reader.isWithinBatch()) {
          first = firstEnd == 0 ? messages.size() : first;
          firstEnd = firstEnd == 0 ? message.sequence() + 1 : firstEnd;
          batch = new Batch(List.copyOf(messages), first, firstEnd, message.sequence() + 1);
          boolean isLong = from.time().nanoTime() - began >= MOST_NANOS;
          if (messages.size() >= MOST_MESSAGES || bytes >= MOST_BYTES || isLong) {
            return batch;
          }
        }
        message = readBelow(end);
      }
    } catch (DamagedException e) {
      if (batch.end() <= next) {
        return passOver(next, messages, e);
      }
    }
    return batch;
  }

  private @Nullable StoredMessage readBelow(long end) {
    return reader.position() < end ? reader.next() : null;
  }

  /** Adds a message if the target is to get it; returns whether reading continues. */
  private boolean isToBeRead(StoredMessage message, List<StoredMessage> messages) {
    if (Terms.isHidden(message.terms())) {
      return true; // what is delayed is forwarded when it is due
    }
    if (message.isIn(log.removed())) {
      return true;
    }
    if (!isOver(message)) {
      return isJudged(message, messages);
    }
    if (message.sequence() < keptBelow) {
      return true;
    }
    if (!source.expiries().store().keep(message, subscriber)) {
      waits.accept("expired messages cannot be transferred");
      return false;
    }
    keptBelow = message.sequence() + 1;
    expired.incrementAndGet();
    return true;
  }

  /** Adds a message as the target gets it, if it does; returns whether reading continues. */
  private boolean isJudged(StoredMessage message, List<StoredMessage> messages) {
    long failures = rule.failed();
    try {
      StoredMessage mapped = rule.apply(message);
      if (mapped != null) {
        messages.add(mapped);
      }
    } catch (ForwardRule.Failure e) {
      waits.accept(String.valueOf(e.getMessage()));
      return false;
    }
    if (rule.failed() > failures && failureLog.mayLog()) {
      LOG.warn(
          "Queue {}: the filter or the mapping of the forward to {} fails over {} so far, the last"
              + " is sequence {}: {}",
          from.queue(),
          rule.config().target(),
          Amount.of(rule.failed(), "message"),
          message.sequence(),
          rule.lastFailure());
    }
    return true;
  }

  private boolean isOver(StoredMessage message) {
    return source
        .expiries()
        .isOver(log.times(), from.time(), message.publishedMicros(), message.terms());
  }

  /** Gives first what was read before the damage, though it was published with what is lost. */
  private Batch passOver(long next, List<StoredMessage> messages, DamagedException e) {
    long at = reader.position();
    if (at > next) {
      return new Batch(List.copyOf(messages), messages.size(), at, at);
    }
    long end = source.passOver().applyAsLong(at);
    if (end == at) {
      waits.accept(String.valueOf(e.getMessage()));
      return Batch.NONE;
    }
    return new Batch(List.of(), 0, end, end);
  }
}
