package com.wookler.river.core.message;

import org.jspecify.annotations.Nullable;

/**
 * What a publisher may say of a message besides its content: how to tell it again, and when it
 * counts. Most messages have none, and pay nothing for it.
 *
 * @param id for deduplication, or null
 * @param expiryMicros so long after its publish time, in microseconds, it expires; 0: never
 * @param delayMicros so long after its publish time it is delivered; 0: at once
 */
public record Terms(@Nullable String id, long expiryMicros, long delayMicros) {
  /** When a message of this publish time expires; {@link Long#MAX_VALUE}: never. */
  public long expiresAt(long publishedMicros) {
    return expiryMicros == 0 ? Long.MAX_VALUE : saturated(publishedMicros, expiryMicros);
  }

  /** When a message of this publish time may be delivered. */
  public long dueAt(long publishedMicros) {
    return saturated(publishedMicros, delayMicros);
  }

  private static long saturated(long from, long more) {
    return more > Long.MAX_VALUE - from ? Long.MAX_VALUE : from + more;
  }
}
