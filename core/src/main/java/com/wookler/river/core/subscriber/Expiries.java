package com.wookler.river.core.subscriber;

import com.wookler.river.common.TimeSource;
import com.wookler.river.core.log.StoredTimes;
import com.wookler.river.core.message.Terms;
import org.jspecify.annotations.Nullable;

/**
 * The rules by which a queue's messages expire.
 *
 * @param maxAgeMicros from a message's publish time; {@link Long#MAX_VALUE}: none expires by its
 *     age
 * @param sweep how many a step of housekeeping completes at most, for one subscriber
 */
public record Expiries(long maxAgeMicros, int sweep, ExpiredMessages store) {
  /** Only messages with a time to live expire, and they are kept nowhere. */
  public static final Expiries NONE = new Expiries(Long.MAX_VALUE, 1, ExpiredMessages.NOWHERE);

  /** Returns when a message expires, by the wall clock; {@link Long#MAX_VALUE}: never. */
  public long expiresAt(StoredTimes times, long publishedMicros, @Nullable Terms terms) {
    long published = times.wallOf(Terms.publishedMicros(terms, publishedMicros));
    long byAge =
        maxAgeMicros > Long.MAX_VALUE - published ? Long.MAX_VALUE : published + maxAgeMicros;
    return terms == null ? byAge : Math.min(byAge, terms.expiresAt(published));
  }

  /** Returns whether a message has expired; asks the clock only if it can expire. */
  public boolean isOver(
      StoredTimes times, TimeSource time, long publishedMicros, @Nullable Terms terms) {
    if (terms == null && maxAgeMicros == Long.MAX_VALUE) {
      return false;
    }
    long at = expiresAt(times, publishedMicros, terms);
    return at != Long.MAX_VALUE && time.epochMicros() >= at;
  }
}
