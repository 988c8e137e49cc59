package com.wookler.river.core.message;

import org.jspecify.annotations.Nullable;

/**
 * What a publisher may say of a message besides its content: how to tell it again, and when it
 * counts. Most messages have none, and pay nothing for it.
 *
 * @param id for deduplication, or null
 * @param expiryMicros so long after its publish time, in microseconds, it expires; 0: never
 * @param delayMicros so long after its publish time it is delivered; 0: at once
 * @param origin of the copy that is made of a delayed message when it is due: where and when that
 *     was published; else null
 */
public record Terms(
    @Nullable String id, long expiryMicros, long delayMicros, @Nullable Origin origin) {
  /** The delayed message that a re-enqueued copy was made of. */
  public record Origin(long sequence, long micros) {}

  /** Of a message as it is published. */
  public Terms(@Nullable String id, long expiryMicros, long delayMicros) {
    this(id, expiryMicros, delayMicros, null);
  }

  /** Of the copy that is appended when a message is due. Its id was spent when it was published. */
  public static Terms ofReenqueued(StoredMessage delayed) {
    Terms terms = delayed.terms();
    return new Terms(
        null,
        terms == null ? 0 : terms.expiryMicros(),
        0,
        new Origin(delayed.sequence(), delayed.publishedMicros()));
  }

  /** Returns the terms without an id; null if nothing is left. */
  static @Nullable Terms withoutId(@Nullable Terms terms) {
    if (terms == null || (terms.expiryMicros == 0 && terms.delayMicros == 0)) {
      return null;
    }
    return new Terms(null, terms.expiryMicros, terms.delayMicros);
  }

  /** Returns whether nobody is given this message, but the copy that is appended when it is due. */
  public static boolean isDelayed(@Nullable Terms terms) {
    return terms != null && terms.delayMicros > 0;
  }

  /** Returns when a message was published that stands in a document of this time. */
  public static long publishedMicros(@Nullable Terms terms, long documentMicros) {
    return terms == null || terms.origin == null ? documentMicros : terms.origin.micros();
  }

  /** Returns when a message that was published at this time expires; the largest number: never. */
  public long expiresAt(long publishedMicros) {
    return expiryMicros == 0 ? Long.MAX_VALUE : saturated(publishedMicros, expiryMicros);
  }

  /** Returns when a message of this publish time may be delivered. */
  public long dueAt(long publishedMicros) {
    return saturated(publishedMicros, delayMicros);
  }

  private static long saturated(long from, long more) {
    return more > Long.MAX_VALUE - from ? Long.MAX_VALUE : from + more;
  }
}
