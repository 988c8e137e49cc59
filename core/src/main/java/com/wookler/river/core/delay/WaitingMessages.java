package com.wookler.river.core.delay;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.core.log.LogReader;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.message.Terms;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads waiting messages, and reports those that are lost. Where damage is not to be passed over
 * none is lost: a damaged message is thrown each time. Thread-safe, except for {@link #records}.
 */
final class WaitingMessages {
  private static final Logger LOG = LoggerFactory.getLogger(WaitingMessages.class);
  private static final byte[] NOTHING_LEFT = {0};

  private final DelayContext context;
  private final ReentrantLock lock;

  @GuardedBy("lock")
  private final NearIndex index;

  private final DelayedRecord encoder; // confined to the flusher

  WaitingMessages(DelayContext context, ReentrantLock lock, NearIndex index) {
    this.context = context;
    this.lock = lock;
    this.index = index;
    this.encoder = new DelayedRecord(context.identity());
  }

  /** Returns a message from its file, or from its source if that was removed; null if lost. */
  @Nullable StoredMessage ofFile(
      BucketReader reader, @Nullable Bucket bucket, long offset, long sequence) {
    Path file = bucket == null ? context.directory() : bucket.file.path();
    try {
      if (bucket == null) {
        throw new DamagedMessageException("damaged: nothing is left of sequence " + sequence);
      }
      return reader.message(bucket.file, offset, sequence);
    } catch (DamagedException | IOException e) {
      StoredMessage original = original(sequence);
      if (original == null && !context.queueParts().passesDamage()) {
        throw new DamagedMessageException(e.getMessage() + ", sequence " + sequence, e);
      }
      if (bucket != null || original == null) { // else the loss of the file was reported
        LOG.warn(
            "Queue {}: a delayed message {}: {}",
            context.queue(),
            original == null ? "is lost" : "is read from the log or a backup",
            e.getMessage());
      }
      if (original == null) {
        context.lost(file, sequence, 1, offset, offset + DelayedRecord.HEAD_BYTES);
      }
      return original;
    }
  }

  private @Nullable StoredMessage original(long sequence) {
    try {
      StoredMessage found = context.queueParts().original(sequence);
      return found != null && Terms.isHidden(found.terms()) ? found : null;
    } catch (DamagedException e) {
      return null;
    }
  }

  /** Returns a message that is in no file yet, or is to go into another; null if it is lost. */
  @Nullable StoredMessage fresh(LogReader log, BucketReader files, long sequence, long address) {
    return NearIndex.wasInFile(address)
        ? ofFile(files, bucket(~address), NearIndex.offset(~address), sequence)
        : ofLog(log, sequence, address);
  }

  private @Nullable StoredMessage ofLog(LogReader reader, long sequence, long address) {
    try {
      return reader.read(sequence, address);
    } catch (DamagedException e) {
      if (!context.queueParts().passesDamage()) {
        throw e;
      }
      LOG.warn("Queue {}: a delayed message is lost: {}", context.queue(), e.getMessage());
      context.queueParts().passOver(sequence); // which reports it
      return null;
    }
  }

  /**
   * Returns the records of messages that go into the files; on the flusher. The record of a damaged
   * message that is not to be passed over has what is left: it waits in the file, so that its block
   * may leave the log.
   */
  TimerStore.Source records(LogReader log, BucketReader files) {
    return (time, sequence, address) -> {
      try {
        StoredMessage message = fresh(log, files, sequence, address);
        return message == null || Terms.isErased(message.terms())
            ? null
            : encoder.encode(time, message);
      } catch (DamagedException e) {
        return DelayedRecord.of(time, sequence, left(files, sequence, address));
      }
    };
  }

  private @Nullable Bucket bucket(long address) {
    lock.lock();
    try {
      return index.find(address);
    } finally {
      lock.unlock();
    }
  }

  private byte[] left(BucketReader files, long sequence, long address) {
    Bucket bucket = NearIndex.wasInFile(address) ? bucket(~address) : null;
    try {
      return bucket == null
          ? NOTHING_LEFT
          : files.left(bucket.file, NearIndex.offset(~address), sequence);
    } catch (DamagedException | IOException e) {
      return NOTHING_LEFT;
    }
  }
}
