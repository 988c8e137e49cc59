package com.wookler.river.core.message;

import com.wookler.river.common.Micros;
import com.wookler.river.common.removed.SequenceRanges;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One message as it was read from the log, after its checksum was verified. Immutable by agreement:
 * data and header values are not copied.
 *
 * @param publishedMicros when it was appended there, microseconds since 1970
 * @param data the bytes that the converter made
 * @param headers unmodifiable
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record StoredMessage(
    long sequence,
    long publishedMicros,
    byte[] data,
    @Nullable String key,
    Map<String, byte[]> headers,
    @Nullable Terms terms) {

  /** Makes the result of a reader from a message with a valid checksum. */
  @FunctionalInterface
  public interface Maker<T> {
    /** Takes over the data and headers, without copies. */
    T make(
        long sequence,
        long publishedMicros,
        byte[] data,
        @Nullable String key,
        Map<String, byte[]> headers,
        @Nullable Terms terms);
  }

  /** Returns the sequence that the publish returned, also of a re-enqueued copy. */
  public long originalSequence() {
    return Terms.originalSequence(terms, sequence);
  }

  /** Returns whether it is in a set of messages, or the delayed one of which it is a copy. */
  public boolean isIn(SequenceRanges messages) {
    return messages.contains(sequence) || messages.contains(originalSequence());
  }

  /** Returns when its publisher published it, microseconds since 1970. */
  public long originalMicros() {
    return Terms.publishedMicros(terms, publishedMicros);
  }

  /** Returns when its publisher published it. */
  public Instant publishedAt() {
    return Micros.toInstant(originalMicros());
  }
}
