package com.wookler.river.core.subscriber;

import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.LogReader;
import com.wookler.river.core.message.StoredMessage;
import org.jspecify.annotations.Nullable;

/**
 * Reads single messages, with readers of its own that are opened when they are needed. Guarded by
 * its owner.
 */
final class MessageFinder implements AutoCloseable {
  private final BlockLog log;
  private @Nullable LogReader bySequence;
  private @Nullable LogReader byLocation; // reading by it loses the position of the other

  MessageFinder(BlockLog log) {
    this.log = log;
  }

  /** Returns the message; null if it was not published yet. */
  @Nullable StoredMessage find(long sequence) {
    if (sequence >= log.nextSequence()) {
      return null;
    }
    LogReader from = bySequence;
    if (from == null) {
      from = log.reader();
      bySequence = from;
    }
    from.moveTo(sequence);
    return from.next();
  }

  /** Returns the message at a location that a reader of the log gave. */
  StoredMessage read(long sequence, long location) {
    LogReader from = byLocation;
    if (from == null) {
      from = log.reader();
      byLocation = from;
    }
    return from.read(sequence, location);
  }

  void leave(int block) {
    if (bySequence != null) {
      bySequence.leave(block);
    }
    if (byLocation != null) {
      byLocation.leave(block);
    }
  }

  @Override
  public void close() {
    if (bySequence != null) {
      bySequence.close();
    }
    if (byLocation != null) {
      byLocation.close();
    }
  }
}
