package com.wookler.river.core.message;

import org.jspecify.annotations.Nullable;

/**
 * The id and times of a message. Most messages have none, and store none.
 *
 * @param expiryMicros from its publish time until it expires, in microseconds; 0: never
 * @param delayMicros from its publish time until it is delivered; 0: at once; below 0: erased
 * @param origin of a re-enqueued copy: sequence and publish time of the delayed message
 */
public record Terms(
    @Nullable String id, long expiryMicros, long delayMicros, @Nullable Origin origin) {
  /** The terms of a message that was erased, of which nothing else is left. */
  public static final Terms ERASED = new Terms(null, 0, -1, null);

  /** The delayed message that a re-enqueued copy was made of. */
  public record Origin(long sequence, long micros) {}

  /** Creates the terms of a message that is published. */
  public Terms(@Nullable String id, long expiryMicros, long delayMicros) {
    this(id, expiryMicros, delayMicros, null);
  }

  /** Returns the terms of a re-enqueued copy. */
  public static Terms ofReenqueued(StoredMessage delayed) {
    Terms terms = delayed.terms();
    return new Terms(
        terms == null ? null : terms.id(),
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

  /** Returns whether a copy of the message is delivered when it is due, and not the message. */
  public static boolean isDelayed(@Nullable Terms terms) {
    return terms != null && terms.delayMicros > 0;
  }

  /** Returns whether the message was erased. */
  public static boolean isErased(@Nullable Terms terms) {
    return terms != null && terms.delayMicros < 0;
  }

  /** Returns whether subscribers pass the message over: it is delayed, or erased. */
  public static boolean isHidden(@Nullable Terms terms) {
    return terms != null && terms.delayMicros != 0;
  }

  /** Returns where a message was published that stands in a document at this place. */
  public static long originalSequence(@Nullable Terms terms, long sequence) {
    return terms == null || terms.origin == null ? sequence : terms.origin.sequence();
  }

  /** Returns when a message in a document of this time was published. */
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
