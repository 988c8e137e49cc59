package com.wookler.river.core.delay;

import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.LogReader;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.message.Terms;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the log in order and passes over damage. Not thread-safe. */
final class LogWalk implements AutoCloseable {
  /** Damaged messages in a row after which the rest of their block is taken for damaged too. */
  private static final int MAX_DAMAGED = 1_000;

  private static final Logger LOG = LoggerFactory.getLogger(LogWalk.class);

  private final DelayContext context;
  private final BlockLog log;
  private final LogReader reader;
  private final boolean collects;
  private long behind;
  private int inARow;

  /** Returns a reader for collecting, which reports damage: a delayed message may be lost by it. */
  static LogWalk collecting(DelayContext context) {
    return new LogWalk(context, true);
  }

  private LogWalk(DelayContext context, boolean collects) {
    this.context = context;
    this.collects = collects;
    this.log = context.log();
    this.reader = log.reader();
  }

  /** Returns the message of a sequence; null if it is lost, or not published yet. */
  @Nullable StoredMessage at(long sequence) {
    behind = sequence;
    long first = log.firstSequence();
    if (sequence < first) {
      behind = first;
      return null;
    }
    reader.moveTo(sequence);
    try {
      StoredMessage message = reader.next();
      behind = message == null ? sequence : sequence + 1;
      inARow = 0;
      return message;
    } catch (DamagedMessageException e) {
      behind = behindDamage(sequence);
      return null;
    }
  }

  private long behindDamage(long sequence) {
    long end = log.gaps().endOf(sequence);
    if (end <= sequence) {
      end = context.queueParts().passOver(sequence);
    }
    if (end > sequence) {
      return end;
    }
    // no subscriber may report it: all may have read this already
    if (collects && inARow == 0) {
      LOG.error(
          "Queue {}: sequence {} is damaged, and perhaps what follows it; was it delayed, it will"
              + " not come",
          context.queue(),
          sequence);
    }
    return ++inARow % MAX_DAMAGED == 0 ? reader.behindBlock(sequence) : sequence + 1;
  }

  /** Returns the sequence after what was read last. */
  long behind() {
    return behind;
  }

  /** Returns the address of what was read last. */
  long location() {
    return reader.location();
  }

  void leave(int block) {
    reader.leave(block);
  }

  /** Returns the messages of which the log has a re-enqueued copy from a sequence on. */
  static Set<Long> copiesFrom(DelayContext context, long from) {
    Set<Long> copies = new HashSet<>();
    try (LogWalk walk = new LogWalk(context, false)) {
      for (long at = from; at < context.log().nextSequence(); at = walk.behind()) {
        StoredMessage message = walk.at(at);
        Terms terms = message == null ? null : message.terms();
        if (terms != null && terms.origin() != null) {
          copies.add(terms.origin().sequence());
        }
      }
    }
    return copies;
  }

  @Override
  public void close() {
    reader.close();
  }
}
