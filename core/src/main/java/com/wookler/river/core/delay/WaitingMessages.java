package com.wookler.river.core.delay;

import com.wookler.river.core.log.LogReader;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.message.Terms;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads messages that wait, and reports those that are lost. Where damage is not to be passed over
 * none is: what is damaged is thrown each time. Thread-safe.
 */
final class WaitingMessages {
  private static final Logger LOG = LoggerFactory.getLogger(WaitingMessages.class);

  private final DelayContext context;

  WaitingMessages(DelayContext context) {
    this.context = context;
  }

  /**
   * One that stands in a file, or else where it came from; null if it is lost.
   *
   * @param bucket null if that is gone
   */
  @Nullable StoredMessage ofFile(@Nullable Bucket bucket, long offset, long sequence) {
    Path file = bucket == null ? context.directory() : bucket.file.path();
    try {
      if (bucket == null) {
        throw new DamagedMessageException("damaged: nothing is left of sequence " + sequence);
      }
      return bucket.file.message(offset, sequence);
    } catch (DamagedMessageException | IOException e) {
      StoredMessage original = original(sequence);
      if (original == null && !context.queueParts().passesDamage()) {
        throw new DamagedMessageException(e.getMessage() + ", sequence " + sequence, e);
      }
      if (bucket != null || original == null) { // else that it comes from there was said
        LOG.warn(
            "Queue {}: a delayed message {}: {}",
            context.queue(),
            original == null ? "is lost" : "is read from the log or a backup",
            e.getMessage());
      }
      if (original == null) {
        long end = offset + BucketFile.RECORD_BYTES;
        context.lost(file, sequence, 1, offset, end);
      }
      return original;
    }
  }

  private @Nullable StoredMessage original(long sequence) {
    try {
      StoredMessage found = context.queueParts().original(sequence);
      return found != null && Terms.isDelayed(found.terms()) ? found : null;
    } catch (DamagedMessageException e) {
      return null;
    }
  }

  /** One that is in no file yet; null if it is lost. */
  @Nullable StoredMessage ofLog(LogReader reader, long sequence, long location) {
    try {
      return reader.read(sequence, location);
    } catch (DamagedMessageException e) {
      if (!context.queueParts().passesDamage()) {
        throw e;
      }
      LOG.warn("Queue {}: a delayed message is lost: {}", context.queue(), e.getMessage());
      context.queueParts().passOver(sequence); // which reports it
      return null;
    }
  }
}
