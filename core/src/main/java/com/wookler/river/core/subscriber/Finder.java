package com.wookler.river.core.subscriber;

import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.LogReader;
import com.wookler.river.core.message.StoredMessage;
import org.jspecify.annotations.Nullable;

/**
 * Reads single messages by sequence, with a reader of its own that is opened when it is needed.
 * Guarded by its owner.
 */
final class Finder implements AutoCloseable {
  private final BlockLog log;
  private @Nullable LogReader reader;

  Finder(BlockLog log) {
    this.log = log;
  }

  /** The message; null if it was not published yet. */
  @Nullable StoredMessage find(long sequence) {
    if (sequence >= log.nextSequence()) {
      return null;
    }
    LogReader from = reader;
    if (from == null) {
      from = log.reader();
      reader = from;
    }
    from.moveTo(sequence);
    return from.next();
  }

  void leave(int block) {
    if (reader != null) {
      reader.leave(block);
    }
  }

  @Override
  public void close() {
    if (reader != null) {
      reader.close();
    }
  }
}
