package com.wookler.river.core;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.keys.KeySource;
import com.wookler.river.core.backup.Backup;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.LogReader;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.message.Terms;
import com.wookler.river.core.subscriber.DeadLetters;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the keys of a queue's messages from its log and the backups before it. Thread-safe. */
final class LoggedKeys implements KeySource, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LoggedKeys.class);
  private static final int STEP = 1_024;

  private static final int MAX_DAMAGED = 1_000; // in a row; then the rest of the block counts too

  private final String queue;
  private final BlockLog log;
  private final @Nullable Backup backup;
  private final SharedReader shared;

  @GuardedBy("shared.lock")
  private int damagedInARow;

  @GuardedBy("shared.lock")
  private boolean damaged; // and logged

  LoggedKeys(String queue, BlockLog log, @Nullable Backup backup) {
    this.queue = queue;
    this.log = log;
    this.backup = backup;
    this.shared = new SharedReader(queue, log);
  }

  @Override
  public long end() {
    return log.nextSequence();
  }

  @Override
  public long first() {
    long first = log.firstSequence();
    return backup == null ? first : Math.min(first, backup.firstSequence().orElse(first));
  }

  @Override
  public void force(long end) {
    if (log.forcedEnd() < end) {
      log.force();
    }
  }

  @Override
  public long read(long from, long to, Sink sink) {
    long first = log.firstSequence();
    return from < first ? readPast(from, Math.min(to, first), sink) : readLog(from, to, sink);
  }

  private long readPast(long from, long to, Sink sink) {
    Backup past = backup;
    if (past == null) {
      return to;
    }
    List<StoredMessage> frame;
    try {
      frame = past.read(from, Integer.MAX_VALUE); // as far as one frame goes
    } catch (DamagedException e) {
      shared.lock.lock();
      try {
        return passOver(from, from + 1, to);
      } finally {
        shared.lock.unlock();
      }
    }
    if (frame.isEmpty()) {
      return Math.min(to, past.firstSequenceFrom(from + 1).orElse(to));
    }
    long at = from;
    for (StoredMessage message : frame) {
      if (at < to) {
        add(sink, at, message.key(), message.headers(), message.terms());
      }
      at++;
    }
    return Math.min(to, at);
  }

  private long readLog(long from, long to, Sink sink) {
    long at = from;
    shared.lock.lock();
    try {
      LogReader reader = shared.get();
      long gapEnd = log.gaps().endOf(from);
      if (gapEnd > from) {
        return Math.min(gapEnd, to);
      }
      reader.moveTo(from);
      StoredMessage.Maker<Boolean> keys = keysTo(sink);
      long end = Math.min(to, from + STEP);
      while (at < end && reader.next(keys) != null) {
        at++;
      }
      damagedInARow = 0;
      return at;
    } catch (DamagedException e) {
      if (at > from || from < log.firstSequence()) {
        return at; // what came before it; or its block left meanwhile
      }
      return passOver(from, shared.get().behindBlock(from), to);
    } finally {
      shared.lock.unlock();
    }
  }

  private static StoredMessage.Maker<Boolean> keysTo(Sink sink) {
    return (sequence, micros, data, key, headers, terms) -> {
      add(sink, sequence, key, headers, terms);
      return true;
    };
  }

  /**
   * A delayed message is not the last of its key before it is due; its copy is then. One that was
   * redriven never is: it is older, and for one subscriber.
   */
  private static void add(
      Sink sink,
      long at,
      @Nullable String key,
      Map<String, byte[]> headers,
      @Nullable Terms terms) {
    if (key != null
        && !Terms.isHidden(terms)
        && (headers.isEmpty() || !headers.containsKey(DeadLetters.REDRIVEN_TO))) {
      sink.key(at, key);
    }
  }

  @GuardedBy("shared.lock")
  private long passOver(long from, long behindBlock, long to) {
    if (!damaged) {
      damaged = true;
      LOG.warn("Queue {}: damaged messages are left out of its index of keys", queue);
    }
    damagedInARow++;
    return Math.min(to, damagedInARow % MAX_DAMAGED == 0 ? behindBlock : from + 1);
  }

  void leave(int block) {
    shared.leave(block);
  }

  @Override
  public void close() {
    shared.close();
  }
}
