package com.wookler.river.core;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.core.backup.Backup;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.LogReader;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.Micros;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.StoredMessage;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Finds messages by sequence and time without a subscriber, in the log or in a backup. Thread-safe.
 */
final class Lookup implements AutoCloseable {
  private final String queue;
  private final BlockLog log;
  private final @Nullable Backup backup;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final LogReader reader;

  @GuardedBy("lock")
  private boolean closed;

  Lookup(String queue, BlockLog log, @Nullable Backup backup) {
    this.queue = queue;
    this.log = log;
    this.backup = backup;
    this.reader = log.reader();
  }

  Optional<StoredMessage> read(long sequence) {
    Optional<StoredMessage> inLog = readLog(sequence);
    return inLog.isPresent() || backup == null ? inLog : backup.read(sequence);
  }

  private Optional<StoredMessage> readLog(long sequence) {
    lock.lock();
    try {
      ensureOpen();
      if (sequence < log.firstSequence() || sequence >= log.nextSequence()) {
        return Optional.empty();
      }
      reader.moveTo(sequence);
      return Optional.ofNullable(reader.next());
    } catch (DamagedMessageException e) {
      if (sequence < log.firstSequence()) {
        return Optional.empty(); // its block went into the backup meanwhile
      }
      throw e;
    } finally {
      lock.unlock();
    }
  }

  OptionalLong sequenceAt(Instant time) {
    long micros = Micros.atOrAfter(time);
    if (backup != null) {
      OptionalLong archived = backup.sequenceAt(micros);
      if (archived.isPresent()) {
        return archived;
      }
    }
    lock.lock();
    try {
      ensureOpen();
      return log.sequenceAt(micros, reader);
    } finally {
      lock.unlock();
    }
  }

  /** Lets go of a block that leaves the log. */
  void leave(int block) {
    lock.lock();
    try {
      if (!closed) {
        reader.leave(block);
      }
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void ensureOpen() {
    if (closed) {
      throw new QueueClosedException("queue " + queue + " is closed");
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      reader.close();
    } finally {
      lock.unlock();
    }
  }
}
