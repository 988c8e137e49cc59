package com.wookler.river.core.delay;

import com.wookler.river.core.log.LogReader;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.StoredMessage;
import java.io.IOException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The records of messages that go into the files. Of one that is damaged, and not to be passed
 * over, what is left: it waits on there, and its block may leave the log. Confined to the flusher.
 */
final class WaitingRecords {
  private static final byte[] NOTHING_LEFT = {0};

  private final WaitingMessages messages;
  private final BucketFile.Encoder encoder;
  private final NearIndex index;
  private final ReentrantLock lock;

  /**
   * For a queue.
   *
   * @param index of the files, which the lock guards
   */
  WaitingRecords(
      DelayContext context, WaitingMessages messages, NearIndex index, ReentrantLock lock) {
    this.messages = messages;
    this.encoder = new BucketFile.Encoder(context.identity());
    this.index = index;
    this.lock = lock;
  }

  /** Returns those of messages that this reader finds in the log. */
  TimerStore.Source of(LogReader reader) {
    return (time, sequence, place, into) -> record(reader, time, sequence, place, into);
  }

  private byte @Nullable [] record(
      LogReader reader, long time, long sequence, long place, BucketFile into) {
    boolean wasInFile = NearIndex.wasInFile(place);
    Bucket bucket = wasInFile ? bucket(place) : null;
    try {
      StoredMessage message =
          wasInFile
              ? messages.ofFile(bucket, NearIndex.offset(~place), sequence)
              : messages.ofLog(reader, sequence, place);
      return message == null ? null : encoder.encode(time, message, into);
    } catch (DamagedMessageException e) {
      byte[] left =
          bucket == null ? NOTHING_LEFT : left(bucket, NearIndex.offset(~place), sequence);
      return into.record(time, sequence, left);
    }
  }

  private @Nullable Bucket bucket(long place) {
    lock.lock();
    try {
      return index.find(~place);
    } finally {
      lock.unlock();
    }
  }

  private static byte[] left(Bucket bucket, long offset, long sequence) {
    try {
      return bucket.file.left(offset, sequence);
    } catch (DamagedMessageException | IOException e) {
      return NOTHING_LEFT;
    }
  }
}
