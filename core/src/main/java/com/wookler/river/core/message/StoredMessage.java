package com.wookler.river.core.message;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One message as it was read from the log, its checksum proven.
 *
 * <p>Immutable by agreement: {@link #data} and header values are not copied.
 */
public final class StoredMessage {
  private final long sequence;
  private final long publishedMicros;
  private final byte[] data;
  private final @Nullable String key;
  private final Map<String, byte[]> headers;
  private final @Nullable Terms terms;

  /** Takes the data and headers over, as they are. */
  public StoredMessage(
      long sequence,
      long publishedMicros,
      byte[] data,
      @Nullable String key,
      Map<String, byte[]> headers,
      @Nullable Terms terms) {
    this.sequence = sequence;
    this.publishedMicros = publishedMicros;
    this.data = data;
    this.key = key;
    this.headers = headers;
    this.terms = terms;
  }

  /**
   * Makes what a reader gives for a message it has proven.
   *
   * @param <T> what that is
   */
  @FunctionalInterface
  public interface Maker<T> {
    /** Takes the data and headers over, as they are. */
    T make(
        long sequence,
        long publishedMicros,
        byte[] data,
        @Nullable String key,
        Map<String, byte[]> headers,
        @Nullable Terms terms);
  }

  /** Returns its place in the log. */
  public long sequence() {
    return sequence;
  }

  /** Returns when it was appended there, microseconds since 1970. */
  public long publishedMicros() {
    return publishedMicros;
  }

  /**
   * Returns the sequence that its publisher was told: of a re-enqueued copy that of the message it
   * is made of.
   */
  public long originalSequence() {
    return terms == null || terms.origin() == null ? sequence : terms.origin().sequence();
  }

  /** Returns when its publisher published it, microseconds since 1970. */
  public long originalMicros() {
    return Terms.publishedMicros(terms, publishedMicros);
  }

  /** Returns when its publisher published it. */
  public Instant publishedAt() {
    return Micros.toInstant(originalMicros());
  }

  /** Returns the bytes that the converter made. */
  public byte[] data() {
    return data;
  }

  /** Returns the key, or null. */
  public @Nullable String key() {
    return key;
  }

  /** Returns the headers, unmodifiable. */
  public Map<String, byte[]> headers() {
    return headers;
  }

  /** Returns its id, expiry, delay and origin, or null if it has none of them. */
  public @Nullable Terms terms() {
    return terms;
  }
}
